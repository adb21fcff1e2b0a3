import { provider, schema, secret } from 'portcullis/sdk';

/** Speaks nothing but chat completions. */
export default provider({
  settings: schema.Object({ apiKey: secret() }),
  base: 'https://peer.invalid/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: { chatComplete: { path: '/chat/completions', dialect: 'chat' } },
});
