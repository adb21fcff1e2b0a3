import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://www.aibadgr.com/docs, and for the key and the embeddings https://www.npmjs.com/package/@aibadgr/router. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'AIBADGR_API_KEY' }) }),
  base: 'https://aibadgr.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    proxy: { path: '' },
  },
});
