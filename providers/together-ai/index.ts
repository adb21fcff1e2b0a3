import { type JsonObject, provider, schema, secret } from 'portcullis/sdk';
import { batches } from './batches.ts';
import { files } from './files.ts';
import { fineTuning } from './fine-tuning.ts';
import { pictureAsked, pictures, ranked, speechAsked } from './media.ts';

const finishReasons = { eos: 'stop' } as const;
const rename = { max_completion_tokens: 'max_tokens' } as const;
const sound = {
  dialect: 'transcriptions',
  params: { rename: { 'timestamp_granularities[]': 'timestamp_granularities' } },
} as const;

/** Source: https://docs.together.ai/reference and https://github.com/togethercomputer/openapi. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'TOGETHER_API_KEY' }) }),
  base: 'https://api.together.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename },
      finishReasons,
      reasoningField: 'reasoning',
      request: countedLogprobs,
    },
    complete: { path: '/completions', dialect: 'completions', finishReasons },
    // Its embeddings know no encoding: the answer is always numbers, so it is encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    rerank: { path: '/rerank', dialect: 'rerank', repair: ranked },
    imageGenerate: {
      path: '/images/generations',
      dialect: 'images',
      params: { values: { response_format: { b64_json: 'base64' } } },
      request: pictureAsked,
      repair: pictures,
    },
    createSpeech: { path: '/audio/speech', dialect: 'speech', request: speechAsked, reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', ...sound },
    createTranslation: { path: '/audio/translations', ...sound },
    ...files,
    ...batches,
    ...fineTuning,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

/** `logprobs` is the number of alternatives here, not a switch. */
function countedLogprobs(body: JsonObject): JsonObject {
  const { logprobs, top_logprobs: count, ...rest } = body;
  if (typeof logprobs !== 'boolean') return body;
  return logprobs ? { ...rest, logprobs: typeof count === 'number' && count > 0 ? count : 1 } : rest;
}
