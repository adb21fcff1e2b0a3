import { asArray, asNumber, asObjects, asString, type JsonArray, type JsonObject } from '../../json.ts';

/** Items `{ text, token_ids, logprobs }` in the shape of the chat format; a text of several tokens has their joint probability. */
export function decodeLogprobs(items: readonly JsonObject[]): JsonObject {
  return {
    content: items.map((item) => {
      const token = asString(item.text) ?? '';
      const logprob = asArray(item.logprobs).reduce<number>((sum, value) => sum + (asNumber(value) ?? 0), 0);
      return { token, logprob, bytes: [...Buffer.from(token, 'utf8')], top_logprobs: [] };
    }),
  };
}

/** Ids of tokens are unknown to every other format. */
export function encodeLogprobs(logprobs: JsonObject): JsonArray {
  return asObjects(logprobs.content).map((entry) => ({
    text: asString(entry.token) ?? '',
    token_ids: [],
    logprobs: [asNumber(entry.logprob) ?? 0],
  }));
}
