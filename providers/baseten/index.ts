import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.baseten.co/inference/model-apis/overview and https://docs.baseten.co/quickstart. A deployment of one's
 * own is reached with `custom_host`: `https://model-{id}.api.baseten.co/environments/production/sync/v1`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'BASETEN_API_KEY' }) }),
  base: 'https://inference.baseten.co/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    messages: { path: '/messages', dialect: 'messages' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
