import { functionsAsTools, provider, replayedThinking, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://api-docs.deepseek.com/api/create-chat-completion and /guides/thinking_mode.
 * Between tool calls the model must get its own thinking back as `reasoning_content`: without it, it answers 400.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'DEEPSEEK_API_KEY' }) }),
  base: 'https://api.deepseek.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      finishReasons: { insufficient_system_resource: 'stop' },
      reasoningField: 'reasoning_content',
      request: (body) => replayedThinking(functionsAsTools(body)),
    },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
