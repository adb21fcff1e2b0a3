import { provider, schema, secret } from 'portcullis/sdk';

/**
 * The service ended on 2026-07-30: https://github.blog/changelog/2026-07-30-github-models-is-now-retired. This is its
 * last interface: https://docs.github.com/en/rest/models.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'GITHUB_TOKEN', description: 'A token with the permission models: read.' }),
  }),
  base: 'https://models.github.ai',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/inference/chat/completions', dialect: 'chat' },
    embed: { path: '/inference/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/catalog/models' },
    proxy: { path: '' },
  },
});
