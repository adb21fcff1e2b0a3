import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://doc-en.302.ai (chat: https://302ai-en.apifox.cn/207705109e0, embeddings:
 * https://302ai-en.apifox.cn/207705281e0) and https://github.com/302ai/ai-sdk for the variable of the key and the thinking.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'AI302_API_KEY' }) }),
  base: 'https://api.302.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', reasoningField: 'reasoning_content' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
