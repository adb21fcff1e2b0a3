import { provider, schema, secret, setting } from 'portcullis/sdk';

/**
 * Source: https://github.com/leptonai/examples/tree/main/advanced/llama2 and https://github.com/leptonai/search_with_lepton:
 * each model and each deployment is a host of its own. The service for shared models ended in 2025, when it became DGX
 * Cloud Lepton, which has deployments alone: https://docs.nvidia.com/dgx-cloud/lepton/features/endpoints/configurations.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'LEPTON_WORKSPACE_TOKEN' }),
    leptonEndpoint: setting({
      pattern: '^[a-z0-9][a-z0-9-]{0,62}(\\.[a-z0-9][a-z0-9-]{0,62})?$',
      description: 'The part of the host before .lepton.run: a model such as llama3-1-8b, or a deployment.',
    }),
  }),
  base: 'https://{leptonEndpoint}.lepton.run/api/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
    },
    proxy: { path: '' },
  },
});
