import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://platform.tripo3d.ai/docs/generation. Tasks make models in three dimensions: `task`, `task/{id}`, `upload`. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'TRIPO_API_KEY' }) }),
  base: 'https://api.tripo3d.ai/v2/openapi',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: { proxy: { path: '' } },
});
