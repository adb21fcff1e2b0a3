import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://docs.fireworks.ai/api-reference/post-chatcompletions and its neighbours. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'FIREWORKS_API_KEY' }) }),
  base: 'https://api.fireworks.ai/inference/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', reasoningField: 'reasoning_content' },
    complete: { path: '/completions', dialect: 'completions' },
    messages: { path: '/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    // Its embeddings document no encoding: numbers are asked for and encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
