import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.lambda.ai/public-cloud/lambda-inference-api. The service ended on 2025-09-25, as announced there and
 * on https://lambda.ai/inference; this is its last documented interface.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'LAMBDA_API_KEY' }) }),
  base: 'https://api.lambda.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
