import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.reka.ai/chat/overview, https://docs.reka.ai/chat/api-reference/list-models (bearer token) and
 * https://docs.reka.ai/errors.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'REKA_API_KEY' }) }),
  base: 'https://api.reka.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
