import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://milvus.io/api-reference/restful/v2.6.x/About.md. A server of one's own, or a cluster of the vendor's cloud, is
 * reached with `custom_host`. A local one needs no key; of users it is `user:password`.
 */
export default provider({
  settings: schema.Object({ apiKey: schema.Optional(secret({ env: 'MILVUS_TOKEN' })) }),
  base: 'http://localhost:19530',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: { proxy: { path: '' } },
});
