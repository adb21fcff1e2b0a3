import { asObject, asString, type JsonObject } from '../../json.ts';

/**
 * Errors of this platform, `{ error: { code: 404, message, status: 'NOT_FOUND' } }`, with the word as their code; everything
 * else as it is. For `repair`. Source: https://github.com/googleapis/googleapis (rpc/code.proto)
 */
export function wordAsCode(json: JsonObject): JsonObject {
  const error = asObject(json.error);
  const word = asString(error?.status);
  return error === undefined || word === undefined ? json : { ...json, error: { ...error, code: word } };
}
