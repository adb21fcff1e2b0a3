import { functionsAsTools, provider, schema, secret, setting } from 'portcullis/sdk';
import { batches } from './batches.ts';
import { documents } from './documents.ts';
import { fineTuning } from './fine-tuning.ts';
import { explained, fromPrompt, toText, withoutRefused } from './shapes.ts';

const sampling = { seed: 'random_seed', max_completion_tokens: 'max_tokens' } as const;

/** Unknown fields are answered with 422, so those of the chat format that Mistral has not got are left out. */
const refused = [
  'stream_options',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'user',
  'store',
  'service_tier',
  'modalities',
  'audio',
  'verbosity',
  'safety_identifier',
  'web_search_options',
];

/**
 * Source: https://docs.mistral.ai/api. Streams always carry usage, in their last chunk.
 * The setting `mistral_fim_completion` sends text completions to the fill-in-the-middle endpoint.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'MISTRAL_API_KEY' }),
    mistralFimCompletion: schema.Optional(
      setting({
        pattern: '^(true|false)$',
        description: 'true: text completions are answered by the fill-in-the-middle endpoint.',
      }),
    ),
  }),
  base: 'https://api.mistral.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { values: { tool_choice: { required: 'any' } }, rename: sampling, drop: refused },
      finishReasons: { model_length: 'length', error: 'stop' },
      streamUsage: 'always',
      request: (body) => withoutRefused(functionsAsTools(body)),
      repair: explained,
    },
    complete: {
      path: ({ settings }) => (settings.mistralFimCompletion === 'true' ? '/fim/completions' : '/chat/completions'),
      dialect: 'completions',
      params: { rename: sampling, drop: [...refused, 'best_of', 'echo'] },
      finishReasons: { model_length: 'length', error: 'stop' },
      streamUsage: 'always',
      request: (body, { settings }) => (settings.mistralFimCompletion === 'true' ? body : fromPrompt(body)),
      repair: (json) => toText(explained(json)),
    },
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { rename: { dimensions: 'output_dimension' }, drop: ['user'] },
    },
    ...documents,
    ...batches,
    ...fineTuning,
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
});
