import { asObjects, type CallFacts, type EndpointSpec, type JsonObject, omit } from 'portcullis/sdk';
import { modelName, ofModel } from './places.ts';

const ofTheRoute: ReadonlySet<string> = new Set(['model', 'stream', 'requests']);

/**
 * https://ai.google.dev/api/embeddings: always the request for many, of which each names the model of the path. The repair
 * has the reply translated, so that who asked for one embedding gets one.
 */
export const embed: EndpointSpec = {
  path: ofModel('batchEmbedContents'),
  dialect: 'gemini-embeddings',
  request: batched,
  repair: (json) => json,
};

function batched(body: JsonObject, facts: CallFacts): JsonObject {
  const rest = omit(body, ofTheRoute);
  const model = modelName(facts.model);
  if (!Array.isArray(body.requests)) return { requests: [{ ...rest, model }] };
  return { ...rest, requests: asObjects(body.requests).map((request) => ({ ...request, model })) };
}
