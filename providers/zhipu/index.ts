import { developersAsSystem, functionsAsTools, provider, schema, secret } from 'portcullis/sdk';
import { documents } from './documents.ts';

/**
 * Source: https://docs.bigmodel.cn/api-reference (chat completions and text embeddings),
 * https://docs.bigmodel.cn/cn/guide/capabilities/streaming (usage comes in the last chunk, unasked) and
 * https://github.com/MetaGLM/zhipuai-sdk-python-v4.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'ZHIPUAI_API_KEY' }) }),
  base: 'https://open.bigmodel.cn/api/paas/v4',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      finishReasons: {
        sensitive: 'content_filter',
        model_context_window_exceeded: 'length',
        network_error: 'stop',
      },
      reasoningField: 'reasoning_content',
      streamUsage: 'always',
      // Its messages know no developer: such a role is answered with 400.
      request: (body) => developersAsSystem(functionsAsTools(body)),
    },
    // Its embeddings document no encoding: numbers are asked for and encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    ...documents,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
