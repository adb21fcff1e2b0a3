import { asObjects, asString, compact, type JsonObject, type ReplyFacts } from 'portcullis/sdk';

/** `{ image, finish_reason, seed }` of v2beta. */
export function repaired(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  const image = asString(json.image);
  if (image === undefined) return faultIn(json);
  const refusal = refusalOf(json.finish_reason);
  return refusal ?? { created: nowSeconds(), data: [compact({ b64_json: image, seed: json.seed })] };
}

/** `{ artifacts: [{ base64, finishReason, seed }] }` of v1: what was not filtered, or the refusal where all of it was. */
export function versionOneRepaired(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.artifacts)) return faultIn(json);
  const artifacts = asObjects(json.artifacts);
  const made = artifacts.filter(({ finishReason }) => refusalOf(finishReason) === undefined);
  const refusal = made.length === 0 ? refusalOf(artifacts[0]?.finishReason) : undefined;
  const data = made.map(({ base64, seed }) => compact({ b64_json: base64, seed }));
  return refusal ?? { created: nowSeconds(), data };
}

/** A filtered picture comes blurred, under a status of 200: for the client it is none. */
function refusalOf(finish: unknown): JsonObject | undefined {
  if (finish === 'CONTENT_FILTERED') {
    const message = 'The picture was withheld by the content filter (CONTENT_FILTERED).';
    return { error: { message, type: 'invalid_request_error', code: 'content_filtered' } };
  }
  if (finish !== 'ERROR') return undefined;
  return { error: { message: 'The picture could not be made (ERROR).', type: 'api_error', code: 'error' } };
}

/** `{ id, name, message }` of v1, `{ id, name, errors: [...] }` of v2beta. */
function faultIn(json: JsonObject): JsonObject {
  const errors = Array.isArray(json.errors) ? json.errors.filter((item) => typeof item === 'string') : [];
  const message = asString(json.message) ?? errors.join('; ');
  if (message === '') return json;
  return { error: compact({ message, code: asString(json.name) }) };
}
