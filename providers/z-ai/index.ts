import { developersAsSystem, functionsAsTools, layoutParsing, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.z.ai/api-reference/llm/chat-completion, https://docs.z.ai/guides/capabilities/streaming and
 * https://github.com/zai-org/z-ai-sdk-python. Subscribers of the coding plan reach their endpoint,
 * https://api.z.ai/api/coding/paas/v4, with `custom_host`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'ZAI_API_KEY' }) }),
  base: 'https://api.z.ai/api/paas/v4',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      finishReasons: { sensitive: 'content_filter', model_context_window_exceeded: 'length', network_error: 'stop' },
      reasoningField: 'reasoning_content',
      // Each stream tells its counts in its last chunk.
      streamUsage: 'always',
      // Its messages know no developer, as those of the Chinese platform.
      request: (body) => developersAsSystem(functionsAsTools(body)),
    },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    ocr: layoutParsing,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
