import {
  developersAsSystem,
  functionsAsTools,
  provider,
  publishedBatches,
  publishedFiles,
  schema,
  secret,
} from 'portcullis/sdk';
import { rerank } from './rerank.ts';

/**
 * Source: https://help.aliyun.com/en/model-studio/compatibility-of-openai-with-dashscope and its neighbours on
 * embeddings, completions, responses, files and batches. The base is that of Beijing; other regions, which have keys of their own, are
 * reached with `custom_host`, such as https://dashscope-intl.aliyuncs.com/compatible-mode/v1.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'DASHSCOPE_API_KEY' }) }),
  base: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      reasoningField: 'reasoning_content',
      // Its messages know no developer: such a role is answered with 400.
      request: (body) => developersAsSystem(functionsAsTools(body)),
    },
    complete: { path: '/completions', dialect: 'completions' },
    // Only numbers are documented: they are asked for and encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    ...publishedFiles(),
    ...publishedBatches(),
    rerank,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
