import { functionsAsTools, provider, publishedFiles, schema, secret } from 'portcullis/sdk';
import { media } from './media.ts';

/** Source: https://docs.x.ai/docs/api-reference and https://docs.x.ai/developers/files/managing-files. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'XAI_API_KEY' }) }),
  base: 'https://api.x.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning_content',
      request: functionsAsTools,
    },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    ...media,
    ...publishedFiles(),
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
});
