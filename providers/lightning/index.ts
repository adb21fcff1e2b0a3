import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://lightning.ai/models and https://lightning.ai/docs/platform/inference/overview. Deployments of one's own
 * are reached with `custom_host`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'LIGHTNING_API_KEY' }) }),
  base: 'https://lightning.ai/api/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
