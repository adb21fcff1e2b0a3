import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion and its neighbours. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NOVITA_API_KEY' }) }),
  base: 'https://api.novita.ai/openai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      reasoningField: 'reasoning_content',
    },
    complete: { path: '/completions', dialect: 'completions' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
