import { developersAsSystem, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.deepinfra.com/chat/overview and https://api.deepinfra.com/openapi.json. The last event of a stream
 * holds the token counts in each case: https://docs.deepinfra.com/chat/streaming.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'DEEPINFRA_TOKEN' }) }),
  base: 'https://api.deepinfra.com/v1/openai',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      reasoningField: 'reasoning_content',
      streamUsage: 'always',
      // The roles are system, user, assistant and tool; any other is a validation error.
      request: developersAsSystem,
    },
    complete: { path: '/completions', dialect: 'completions', streamUsage: 'always' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
