import { provider, schema, secret } from 'portcullis/sdk';

/** Speaks nothing but responses. */
export default provider({
  settings: schema.Object({ apiKey: secret() }),
  base: 'https://peer.invalid/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: { createModelResponse: { path: '/responses', dialect: 'responses' } },
});
