import { provider, schema, secret } from 'portcullis/sdk';
import { rerank } from './rerank.ts';

/**
 * Source: https://docs.voyageai.com/reference/embeddings-api. Keys made in MongoDB Atlas are for the same interface at
 * https://ai.mongodb.com/v1, which `custom_host` reaches.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'VOYAGE_API_KEY' }) }),
  base: 'https://api.voyageai.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    // Its base64 is that of `output_dtype`, and "float" is refused: numbers come, and are encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { rename: { dimensions: 'output_dimension' }, drop: ['encoding_format', 'user'] },
      repair: (json) => json,
    },
    rerank,
    proxy: { path: '' },
  },
});
