import { provider, schema, secret } from 'portcullis/sdk';

/**
 * The shared service ended on 2024-08-01: https://docs.anyscale.com/endpoints/text-generation/query-a-model. What one
 * deploys oneself is reached with `custom_host`. This is the last interface, by that page,
 * https://docs.endpoints.anyscale.com/embedding/generate-an-embedding and the vendor's server, which tells the usage of
 * a stream in its last chunk, unasked: https://github.com/ray-project/ray-llm.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'ANYSCALE_API_KEY' }) }),
  base: 'https://api.endpoints.anyscale.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      streamUsage: 'always',
      // Replies call themselves a `text_completion`; being read, they are written as what they are.
      repair: (json) => json,
    },
    complete: { path: '/completions', dialect: 'completions', streamUsage: 'always' },
    // The answer is always numbers, whatever is asked for: it is encoded here as the client asked.
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
