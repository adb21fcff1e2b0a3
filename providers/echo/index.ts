import { provider, schema } from 'portcullis/sdk';
import { serve } from './routes.ts';

/** Answers without a network. What it does is told by the model name: see README.md. */
export default provider({
  settings: schema.Object({}),
  // Never called: it only shows in `explain`. `.invalid` resolves nowhere (RFC 6761 §6.4).
  base: 'http://echo.invalid/v1',
  auth: { kind: 'none' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    complete: { path: '/completions', dialect: 'completions' },
    messages: { path: '/messages', dialect: 'messages' },
    messagesCountTokens: { path: '/messages/count_tokens', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    listResponseInputItems: { method: 'GET', path: '/responses/{id}/input_items' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
  serve,
});
