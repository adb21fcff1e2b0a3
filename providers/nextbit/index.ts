import { developersAsSystem, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://github.com/huggingface/huggingface.js/blob/main/packages/inference/src/providers/nextbit.ts and
 * https://www.nextbit256.com/docs/api-reference/models.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NEXTBIT_API_KEY' }) }),
  base: 'https://api.nextbit256.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning_content',
      // The role `developer` is answered with 400.
      request: developersAsSystem,
    },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
