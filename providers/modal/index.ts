import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://modal.com/docs/guide/endpoint-integrations. The model is the host name of a Shared Endpoint; servers of
 * one's own are reached with `custom_host`.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({
      env: 'MODAL_PROXY_TOKEN',
      description: 'A proxy token as one word: its id, a dot and its secret (wk-....ws-...).',
    }),
  }),
  base: 'https://inference.us-west.modal.direct/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
