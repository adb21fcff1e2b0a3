import { asObjects, asString, type EndpointSpec, type Flow, type JsonObject } from 'portcullis/sdk';
import { control } from './places.ts';

function entry({ modelId, providerName }: JsonObject): JsonObject[] {
  const id = asString(modelId);
  return id === undefined ? [] : [{ id, object: 'model', created: 0, owned_by: asString(providerName) ?? 'amazon' }];
}

const list: Flow = async ({ facts: { settings } }, tools) => {
  const { json } = await tools.send({ method: 'GET', url: control(settings, '/foundation-models') });
  return { status: 200, json: { object: 'list', data: asObjects(json.modelSummaries).flatMap(entry) } };
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html */
export const listModels: EndpointSpec = { method: 'GET', path: '/foundation-models', flow: list };
