import { provider, schema, secret, setting } from 'portcullis/sdk';
import { documents } from './audio.ts';
import { batches } from './batches.ts';
import { datasets } from './datasets.ts';
import { fineTuning } from './fine-tuning.ts';
import { kontext, pictures } from './pictures.ts';

/** Source: https://docs.fireworks.ai/api-reference/post-chatcompletions and its neighbours. */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'FIREWORKS_API_KEY' }),
    fireworksAccountId: schema.Optional(
      setting({
        env: 'FIREWORKS_ACCOUNT_ID',
        pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
        description: 'The account that files, batches and fine-tuning jobs belong to.',
      }),
    ),
  }),
  base: 'https://api.fireworks.ai/inference/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', reasoningField: 'reasoning_content' },
    complete: { path: '/completions', dialect: 'completions' },
    messages: { path: '/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    // Its embeddings document no encoding: numbers are asked for and encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    ...pictures,
    ...documents,
    ...datasets,
    ...batches,
    ...fineTuning,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
  families: [kontext],
});
