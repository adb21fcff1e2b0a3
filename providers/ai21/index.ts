import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.ai21.com/reference/jamba-1-6-api-ref and https://docs.ai21.com/reference/jamba-api-response.
 * Streams tell their usage in the last chunk, unasked. The older models for text completions and embeddings ended in
 * November 2024: https://github.com/AI21Labs/ai21-python/blob/main/CHANGELOG.md (v3.0.0).
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'AI21_API_KEY' }) }),
  base: 'https://api.ai21.com/studio/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      streamUsage: 'always',
      // Replies come without `object` and `created`; being read, they are written with them.
      repair: (json) => json,
    },
    proxy: { path: '' },
  },
});
