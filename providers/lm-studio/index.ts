import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://lmstudio.ai/docs/developer/openai-compat and https://lmstudio.ai/docs/developer/anthropic-compat. Another host
 * is reached with `custom_host`; a server that does not ask for a token needs none.
 */
export default provider({
  settings: schema.Object({ apiKey: schema.Optional(secret({ env: 'LM_API_TOKEN' })) }),
  base: 'http://localhost:1234/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    complete: { path: '/completions', dialect: 'completions' },
    messages: { path: '/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
