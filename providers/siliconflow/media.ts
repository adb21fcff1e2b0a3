import { asObject, asString, compact, type Endpoints, type JsonObject, omit, type ReplyFacts } from 'portcullis/sdk';

/** https://docs.siliconflow.cn/cn/api-reference/images/images-generations, /audio/create-speech and /rerank/create-rerank. */
export const media: Endpoints = {
  imageGenerate: {
    path: '/images/generations',
    dialect: 'images',
    params: { rename: { size: 'image_size', n: 'batch_size' } },
    repair: pictures,
  },
  createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
  createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
  rerank: { path: '/rerank', dialect: 'rerank', repair: ranked },
};

const listed: ReadonlySet<string> = new Set(['images']);

function pictures(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  const data = json.data ?? json.images;
  return Array.isArray(data) ? { created: nowSeconds(), ...omit(json, listed), data } : json;
}

/** Tokens are counted beside the results, in older replies directly and in newer ones within `meta`. */
function ranked(json: JsonObject, { asked }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.results)) return json;
  const tokens = asObject(asObject(json.meta)?.tokens) ?? asObject(json.tokens);
  const input = tokens?.input_tokens;
  const usage = input === undefined ? undefined : { prompt_tokens: input, total_tokens: input };
  return compact({ object: 'list', model: asString(asked.model), usage, ...json });
}
