import { asString, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.bytez.com/http-reference/oaiCompliant/chatCompletions and
 * https://docs.bytez.com/http-reference/examples/openai-compliant/completionsExample. The key travels bare, without a scheme.
 * Models of other vendors may need that vendor's own key besides.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'BYTEZ_API_KEY' }),
    bytezProviderKey: schema.Optional(
      secret({ header: 'provider-key', description: 'The key of the vendor whose model is called through Bytez.' }),
    ),
  }),
  base: 'https://api.bytez.com/models/v2/openai/v1',
  auth: { kind: 'header', name: 'authorization', from: 'apiKey' },
  headers: ({ settings }) => ({ 'provider-key': asString(settings.bytezProviderKey) }),
  endpoints: {
    // Without `max_tokens` the limit is 256.
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
    },
    complete: { path: '/completions', dialect: 'completions' },
    proxy: { path: '' },
  },
});
