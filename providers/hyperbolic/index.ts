import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.hyperbolic.ai/inference/text-apis and the OpenAPI document of
 * https://github.com/HyperbolicLabs/hyperbolic-ts (`packages/api`).
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'HYPERBOLIC_API_KEY' }) }),
  base: 'https://api.hyperbolic.xyz/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
    },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
