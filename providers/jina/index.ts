import { provider, schema, secret } from 'portcullis/sdk';
import { rerank } from './rerank.ts';

/**
 * Source: https://docs.jina.ai and https://jina.ai/embeddings. Fields that are not known are refused. Answers have more
 * shapes than numbers and base64 (bits, a vector for each token), so they pass as they are.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'JINA_API_KEY' }) }),
  base: 'https://api.jina.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { rename: { encoding_format: 'embedding_type' }, drop: ['user'] },
    },
    rerank,
    proxy: { path: '' },
  },
});
