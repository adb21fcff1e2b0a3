import { asString, provider, schema, secret, setting } from 'portcullis/sdk';
import { createTranscription, embed, imageGenerate } from './inference.ts';

/**
 * Source: https://huggingface.co/docs/inference-providers/tasks/chat-completion, /guides/responses-api, /hub-api and
 * /integrations/claude-code (messages). Pictures, speech and vectors are tasks of
 * its own provider, outside of the interface that the rest has. A dedicated endpoint is a host of its own, whose server need not offer all of it:
 * https://huggingface.co/docs/text-generation-inference/reference/api_reference.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'HF_TOKEN' }),
    huggingfaceBaseUrl: schema.Optional(
      setting({
        pattern: '^https://[a-z0-9][a-z0-9.-]{0,200}\\.endpoints\\.huggingface\\.cloud(/v1)?/?$',
        description: 'URL of a dedicated endpoint.',
      }),
    ),
  }),
  base: ({ huggingfaceBaseUrl }) => {
    const url = asString(huggingfaceBaseUrl);
    return url === undefined ? 'https://router.huggingface.co/v1' : `${new URL(url).origin}/v1`;
  },
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
    },
    messages: { path: '/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    embed,
    imageGenerate,
    createTranscription,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
