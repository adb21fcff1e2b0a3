import type { DialectName, Endpoint, RequestKind } from 'portcullis/sdk';

/** One inference route: how a path becomes a request of the pipeline. */
export interface InferenceRoute {
  readonly method: 'get' | 'post' | 'delete' | 'all';
  readonly path: string;
  readonly endpoint: Endpoint;
  /** The client's wire format; absent where bytes pass untouched. */
  readonly dialect?: DialectName;
  /** The schema of the body. */
  readonly kind?: RequestKind;
  /** A JSON body without a schema here: a plugin reads it. */
  readonly readsJson?: true;
}

export const inferenceRoutes: readonly InferenceRoute[] = [
  { method: 'post', path: '/v1/chat/completions', endpoint: 'chatComplete', dialect: 'chat', kind: 'chat' },
  { method: 'post', path: '/v1/completions', endpoint: 'complete', dialect: 'completions', kind: 'completions' },
  { method: 'post', path: '/v1/embeddings', endpoint: 'embed', dialect: 'embeddings', kind: 'embeddings' },
  { method: 'post', path: '/v1/messages', endpoint: 'messages', dialect: 'messages', kind: 'messages' },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    endpoint: 'messagesCountTokens',
    dialect: 'messages',
    kind: 'count_tokens',
  },
  { method: 'post', path: '/v1/responses', endpoint: 'createModelResponse', dialect: 'responses', kind: 'responses' },
  { method: 'get', path: '/v1/responses/:id', endpoint: 'getModelResponse' },
  { method: 'delete', path: '/v1/responses/:id', endpoint: 'deleteModelResponse' },
  { method: 'get', path: '/v1/responses/:id/input_items', endpoint: 'listResponseInputItems' },
  {
    method: 'post',
    path: '/v1/prompts/:promptId/completions',
    endpoint: 'promptComplete',
    dialect: 'chat',
    readsJson: true,
  },
  { method: 'get', path: '/v1/models', endpoint: 'listModels' },
  { method: 'all', path: '/v1/proxy/*path', endpoint: 'proxy' },
];

/** The dialect that errors on a path are written in, also where no route matches. */
export function dialectOfPath(path: string): DialectName {
  if (path.startsWith('/v1/messages')) return 'messages';
  return path.startsWith('/v1/responses') ? 'responses' : 'chat';
}
