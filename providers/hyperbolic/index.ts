import { functionsAsTools, provider, schema, secret } from 'portcullis/sdk';
import { media } from './media.ts';

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
      request: functionsAsTools,
    },
    complete: { path: '/completions', dialect: 'completions' },
    ...media,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
