import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://www.lemonfox.ai/apis/chat, as quoted in https://github.com/juspay/neurolink (`docs/getting-started/providers`). */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'LEMONFOX_API_KEY' }) }),
  base: 'https://api.lemonfox.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    proxy: { path: '' },
  },
});
