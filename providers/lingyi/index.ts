import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://platform.lingyiwanwu.com/docs. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'YI_API_KEY' }) }),
  base: 'https://api.lingyiwanwu.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
