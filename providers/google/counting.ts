import { asObject, type CallFacts, type JsonObject, withoutRoute } from 'portcullis/sdk';
import { modelName } from './places.ts';

/** https://ai.google.dev/api/tokens: a whole request that is counted names the model of the path once more. */
export function counting(body: JsonObject, { model }: CallFacts): JsonObject {
  const { generateContentRequest, generate_content_request: spelled, ...rest } = withoutRoute(body);
  const counted = asObject(generateContentRequest) ?? asObject(spelled);
  return counted === undefined ? rest : { ...rest, generateContentRequest: { ...counted, model: modelName(model) } };
}
