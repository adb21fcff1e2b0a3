import {
  functionsAsTools,
  provider,
  publishedBatches,
  publishedFiles,
  replayedThinking,
  schema,
  secret,
} from 'portcullis/sdk';

/**
 * Source: https://platform.kimi.ai/docs/api/chat and /docs/guide/use-kimi-k2-thinking-model; files and
 * batches: https://platform.kimi.ai/docs/api/files and /docs/api/batch.
 * Keys of the Chinese platform work at `https://api.moonshot.cn/v1` alone: set `custom_host` for them.
 * Between tool calls the model must get its own thinking back as `reasoning_content`: without it, it answers 400.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'MOONSHOT_API_KEY' }) }),
  base: 'https://api.moonshot.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning_content',
      request: (body) => replayedThinking(functionsAsTools(body)),
    },
    ...publishedFiles(),
    ...publishedBatches(),
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
