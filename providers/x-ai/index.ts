import { provider, schema, secret } from 'portcullis/sdk';

/** Source: https://docs.x.ai/docs/api-reference. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'XAI_API_KEY' }) }),
  base: 'https://api.x.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', reasoningField: 'reasoning_content' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
