import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://api.qdrant.tech/api-reference and https://qdrant.tech/documentation/guides/security. A server of one's own, or
 * a cluster of the vendor's cloud, is reached with `custom_host`; a local one needs no key. The key travels bare.
 */
export default provider({
  settings: schema.Object({ apiKey: schema.Optional(secret({ env: 'QDRANT_API_KEY' })) }),
  base: 'http://localhost:6333',
  auth: { kind: 'header', name: 'api-key', from: 'apiKey' },
  endpoints: { proxy: { path: '' } },
});
