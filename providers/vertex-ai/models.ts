import { asObjects, asString, type EndpointSpec, type JsonObject, wordAsCode } from 'portcullis/sdk';
import { bareName } from './names.ts';
import { segment } from './places.ts';

/** `publishers/google/models/gemini-2.5-flash` as a name; undefined where it is none. */
function modelOf({ name }: JsonObject): JsonObject | undefined {
  const [, publisher, model] = /^publishers\/([^/]+)\/models\/(.+)$/.exec(asString(name) ?? '') ?? [];
  return publisher === undefined || model === undefined
    ? undefined
    : { id: model, object: 'model', owned_by: publisher };
}

function listed(json: JsonObject): JsonObject {
  if (json.publisherModels === undefined) return json;
  return { object: 'list', data: asObjects(json.publisherModels).flatMap((entry) => modelOf(entry) ?? []) };
}

/** The models of Google itself. Source: https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list */
export const listModels: EndpointSpec = {
  method: 'GET',
  path: '/v1beta1/publishers/google/models?pageSize=300',
  repair: listed,
};

/** A model of Google itself. Source: https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/get */
export const retrieveModel: EndpointSpec = {
  method: 'GET',
  path: ({ params }) => `/v1beta1/publishers/google/models/${segment(bareName(params.id ?? ''))}`,
  repair: (json) => modelOf(json) ?? wordAsCode(json),
};
