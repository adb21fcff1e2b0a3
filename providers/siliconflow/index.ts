import { functionsAsTools, provider, schema, secret } from 'portcullis/sdk';
import { batches } from './batches.ts';
import { media } from './media.ts';

/**
 * Source: https://docs.siliconflow.cn/cn/api-reference/chat-completions/chat-completions and its neighbours;
 * https://docs.siliconflow.cn/en/faqs/error-code. The international platform is another host with keys of its own,
 * reached with `custom_host`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'SILICONFLOW_API_KEY' }) }),
  base: 'https://api.siliconflow.cn/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      finishReasons: { eos: 'stop' },
      reasoningField: 'reasoning_content',
      request: functionsAsTools,
    },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    messages: { path: '/messages', dialect: 'messages' },
    ...media,
    ...batches,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
