import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://featherless.ai/docs/completions, /docs/embeddings, /docs/api-reference-models and
 * /docs/api-reference-error-codes.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'FEATHERLESS_API_KEY' }) }),
  base: 'https://api.featherless.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
    },
    complete: { path: '/completions', dialect: 'completions' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
