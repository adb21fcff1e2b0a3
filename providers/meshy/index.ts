import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.meshy.ai/openapi.yaml. Tasks make models in three dimensions: each of its endpoints has a version of its
 * own, which is part of the proxied path, such as `v2/text-to-3d` and `v1/image-to-3d`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'MESHY_API_KEY' }) }),
  base: 'https://api.meshy.ai/openapi',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: { proxy: { path: '' } },
});
