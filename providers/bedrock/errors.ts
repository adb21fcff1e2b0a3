import { asString, type JsonObject, type ReplyFacts } from 'portcullis/sdk';

/** Errors say what they are in a header; the dialect looks for it in the body. */
export function named(json: JsonObject, { headers }: ReplyFacts): JsonObject {
  const name = asString(headers['x-amzn-errortype']);
  return name === undefined || json.__type !== undefined ? json : { ...json, __type: name };
}
