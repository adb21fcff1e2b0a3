import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://developer.monsterapi.ai/reference/create_chat_completion_v1_chat_completions_post and
 * https://developer.monsterapi.ai/reference/create_completion_v1_completions_post.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'MONSTER_API_KEY' }) }),
  base: 'https://llm.monsterapi.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
    },
    complete: { path: '/completions', dialect: 'completions' },
    proxy: { path: '' },
  },
});
