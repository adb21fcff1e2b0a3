import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://docs.inference.net/api/api-quickstart and its neighbours. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'INFERENCE_API_KEY' }) }),
  base: 'https://api.inference.net/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    proxy: { path: '' },
  },
});
