import { type JsonObject, pictureSize, type ReplyFacts } from 'portcullis/sdk';

/** Sizes are two numbers here. */
export function pictureAsked(body: JsonObject): JsonObject {
  const { size, ...rest } = body;
  const pixels = pictureSize(size);
  return pixels === undefined ? body : { ...pixels, ...rest };
}

/** Pictures come without the time of their making. */
export function pictures(json: JsonObject, reply: ReplyFacts): JsonObject {
  return Array.isArray(json.data) && json.created === undefined ? { created: reply.nowSeconds(), ...json } : json;
}

/** What other servers call `pcm` is here a raw format with the rate and encoding that is asked for. */
export function speechAsked(body: JsonObject): JsonObject {
  if (body.response_format !== 'pcm') return body;
  return { sample_rate: 24_000, response_encoding: 'pcm_s16le', ...body, response_format: 'raw' };
}

export function ranked(json: JsonObject): JsonObject {
  return json.object === 'rerank' ? { ...json, object: 'list' } : json;
}
