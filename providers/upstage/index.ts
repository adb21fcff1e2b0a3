import { functionsAsTools, provider, schema, secret } from 'portcullis/sdk';
import { ocr } from './ocr.ts';

/**
 * Source: https://console.upstage.ai/api/chat, https://console.upstage.ai/api/responses,
 * https://console.upstage.ai/docs/capabilities/generate/chat and https://console.upstage.ai/docs/capabilities/embed.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'UPSTAGE_API_KEY' }) }),
  base: 'https://api.upstage.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      reasoningField: 'reasoning',
      request: functionsAsTools,
    },
    // Its embeddings document no encoding: numbers are asked for and encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    ocr,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
