import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.nscale.com/api-reference/inferencing/create-chat-completion and
 * https://docs.nscale.com/docs/use-cases/chat. Streams are answered with 201. Pictures:
 * https://huggingface.co/docs/inference-providers/providers/nscale and its client.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NSCALE_SERVICE_TOKEN' }) }),
  base: 'https://inference.api.nscale.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', reasoningField: 'reasoning_content' },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
