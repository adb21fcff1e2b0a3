import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.ncompass.tech/api-reference/images_and_vision, which shows chat completions alone and says that there
 * are no responses.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NCOMPASS_API_KEY' }) }),
  base: 'https://api.ncompass.tech/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    proxy: { path: '' },
  },
});
