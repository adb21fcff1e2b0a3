import type { DialectName, Endpoint, JsonObject, Outcome, RequestHeaders, RequestKind } from 'portcullis/sdk';

/** How the body of a route comes. */
export type RouteBody =
  /** An object, held against the schema of `kind` where there is one. */
  | 'json'
  /** multipart/form-data with the files that `files` names. */
  | 'form'
  /** Either of the two, by its content type. */
  | 'json or form'
  /** An object that nobody holds against a schema here, or nothing. */
  | 'loose'
  /** Bytes of any type. */
  | 'bytes';

/** One inference route: how a path becomes a request of the pipeline. */
export interface InferenceRoute {
  readonly method: 'get' | 'post' | 'delete' | 'all';
  readonly path: string;
  readonly endpoint: Endpoint;
  /** The client's wire format; absent where bytes pass untouched. */
  readonly dialect?: DialectName;
  /** Headers that only clients of another format send there. */
  readonly dialectByHeader?: Readonly<Record<string, DialectName>>;
  /** The schema of the body. */
  readonly kind?: RequestKind;
  /** What stands before `*path` in the path that the provider sees. */
  readonly under?: string;
  /** Absent: it has none. */
  readonly body?: RouteBody;
  /** Names of the fields of a form of which one must hold a file. */
  readonly files?: readonly string[];
  /** The body with what the path tells of the question. */
  readonly shape?: (body: JsonObject, params: Readonly<Record<string, string>>) => JsonObject;
  /** The reply as clients of the route read it. @param query of the request, with its `?`, or '' */
  readonly reply?: (outcome: Outcome, query: string) => Outcome;
  /** Its clients may send their key as `?key=`. */
  readonly keyInQuery?: boolean;
}

const audio = { body: 'form', kind: 'transcriptions', dialect: 'transcriptions', files: ['file'] } as const;
const pictures = { dialect: 'images', kind: 'image_edits', files: ['image', 'image[]'] } as const;
const file = { dialect: 'files' } as const;
const batch = { dialect: 'batches' } as const;
const finetune = { dialect: 'fine-tuning' } as const;
const models = { dialectByHeader: { 'anthropic-version': 'messages' } } as const;
const geminiModels = { dialect: 'gemini', keyInQuery: true } as const;

function spanning(path: string, endpoint: Endpoint): readonly InferenceRoute[] {
  return [
    { method: 'all', path: `/v1/${path}`, endpoint, body: 'loose' },
    { method: 'all', path: `/v1/${path}/*rest`, endpoint, body: 'loose' },
  ];
}

export const inferenceRoutes: readonly InferenceRoute[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    endpoint: 'chatComplete',
    dialect: 'chat',
    kind: 'chat',
    body: 'json',
  },
  {
    method: 'post',
    path: '/v1/completions',
    endpoint: 'complete',
    dialect: 'completions',
    kind: 'completions',
    body: 'json',
  },
  {
    method: 'post',
    path: '/v1/embeddings',
    endpoint: 'embed',
    dialect: 'embeddings',
    kind: 'embeddings',
    body: 'json',
  },
  { method: 'post', path: '/v1/messages', endpoint: 'messages', dialect: 'messages', kind: 'messages', body: 'json' },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    endpoint: 'messagesCountTokens',
    dialect: 'messages',
    kind: 'count_tokens',
    body: 'json',
  },
  {
    method: 'post',
    path: '/v1/responses',
    endpoint: 'createModelResponse',
    dialect: 'responses',
    kind: 'responses',
    body: 'json',
  },
  { method: 'get', path: '/v1/responses/:id', endpoint: 'getModelResponse' },
  { method: 'delete', path: '/v1/responses/:id', endpoint: 'deleteModelResponse' },
  { method: 'post', path: '/v1/responses/:id/cancel', endpoint: 'cancelModelResponse', body: 'loose' },
  { method: 'get', path: '/v1/responses/:id/input_items', endpoint: 'listResponseInputItems' },
  {
    method: 'post',
    path: '/v1/prompts/:promptId/completions',
    endpoint: 'promptComplete',
    dialect: 'chat',
    body: 'json',
  },
  { method: 'post', path: '/v1/rerank', endpoint: 'rerank', dialect: 'rerank', kind: 'rerank', body: 'json' },
  {
    method: 'post',
    path: '/v1/moderations',
    endpoint: 'moderate',
    dialect: 'moderations',
    kind: 'moderations',
    body: 'json',
  },
  { method: 'post', path: '/v1/ocr', endpoint: 'ocr', dialect: 'ocr', kind: 'ocr', body: 'json' },
  {
    method: 'post',
    path: '/v1/images/generations',
    endpoint: 'imageGenerate',
    dialect: 'images',
    kind: 'images',
    body: 'json',
  },
  { method: 'post', path: '/v1/images/edits', endpoint: 'imageEdit', body: 'json or form', ...pictures },
  { method: 'post', path: '/v1/images/variations', endpoint: 'imageVariation', body: 'form', ...pictures },
  {
    method: 'post',
    path: '/v1/audio/speech',
    endpoint: 'createSpeech',
    dialect: 'speech',
    kind: 'speech',
    body: 'json',
  },
  { method: 'post', path: '/v1/audio/transcriptions', endpoint: 'createTranscription', ...audio },
  { method: 'post', path: '/v1/audio/translations', endpoint: 'createTranslation', ...audio },
  { method: 'get', path: '/v1/files', endpoint: 'listFiles', ...file },
  { method: 'post', path: '/v1/files', endpoint: 'uploadFile', kind: 'files', body: 'form', files: ['file'], ...file },
  { method: 'get', path: '/v1/files/:id', endpoint: 'retrieveFile', ...file },
  { method: 'delete', path: '/v1/files/:id', endpoint: 'deleteFile', ...file },
  { method: 'get', path: '/v1/files/:id/content', endpoint: 'retrieveFileContent' },
  { method: 'get', path: '/v1/batches', endpoint: 'listBatches', ...batch },
  { method: 'post', path: '/v1/batches', endpoint: 'createBatch', kind: 'batches', body: 'json', ...batch },
  { method: 'get', path: '/v1/batches/:id', endpoint: 'retrieveBatch', ...batch },
  { method: 'post', path: '/v1/batches/:id/cancel', endpoint: 'cancelBatch', body: 'loose', ...batch },
  { method: 'get', path: '/v1/batches/:id/output', endpoint: 'getBatchOutput' },
  { method: 'get', path: '/v1/fine_tuning/jobs', endpoint: 'listFinetunes', ...finetune },
  {
    method: 'post',
    path: '/v1/fine_tuning/jobs',
    endpoint: 'createFinetune',
    kind: 'fine_tuning',
    body: 'json',
    ...finetune,
  },
  { method: 'get', path: '/v1/fine_tuning/jobs/:id', endpoint: 'retrieveFinetune', ...finetune },
  { method: 'post', path: '/v1/fine_tuning/jobs/:id/cancel', endpoint: 'cancelFinetune', body: 'loose', ...finetune },
  { method: 'get', path: '/v1/fine_tuning/jobs/:id/events', endpoint: 'listFinetuneEvents', ...finetune },
  { method: 'get', path: '/v1/fine_tuning/jobs/:id/checkpoints', endpoint: 'listFinetuneCheckpoints', ...finetune },
  ...spanning('assistants', 'assistants'),
  ...spanning('threads', 'threads'),
  ...spanning('vector_stores', 'vectorStores'),
  ...spanning('conversations', 'conversations'),
  { method: 'get', path: '/v1/models', endpoint: 'listModels', ...models },
  // Names of models hold slashes.
  { method: 'get', path: '/v1/models/*id', endpoint: 'retrieveModel', ...models },
  { method: 'get', path: '/v1beta/models', endpoint: 'listModels', ...geminiModels },
  { method: 'get', path: '/v1beta/models/*id', endpoint: 'retrieveModel', ...geminiModels },
  // Of models that the caller has trained.
  { method: 'delete', path: '/v1/models/*path', under: 'models/', endpoint: 'proxy', body: 'bytes' },
  { method: 'all', path: '/v1/proxy/*path', endpoint: 'proxy', body: 'bytes' },
];

/** What has no route of its own, for callers who say which provider they mean. */
export const otherRoute: InferenceRoute = { method: 'all', path: '/v1/*path', endpoint: 'proxy', body: 'bytes' };

/** The wire format of a client. @param headers by their names in lower case */
export function dialectOf({ dialect, dialectByHeader }: InferenceRoute, headers: RequestHeaders) {
  if (dialectByHeader === undefined) return dialect;
  const shown = Object.keys(dialectByHeader).find((name) => headers[name] !== undefined);
  return shown === undefined ? dialect : dialectByHeader[shown];
}

/** Below it stand most routes of the control plane too, whose errors have a form of their own. */
const secondVersion: ReadonlyMap<string, DialectName> = new Map([
  ['/v2/chat', 'cohere'],
  ['/v2/embed', 'cohere-embeddings'],
  ['/v2/rerank', 'cohere'],
]);

/** The dialect that errors on a path are written in, also where no route matches. */
export function dialectOfPath(path: string): DialectName {
  if (path.startsWith('/v2/')) return secondVersion.get(path) ?? 'chat';
  if (path.startsWith('/v1beta/') || /^\/v1\/(models|tunedModels)\/.+:\w+$/.test(path)) return 'gemini';
  if (path.startsWith('/v1/messages')) return 'messages';
  return path.startsWith('/v1/responses') ? 'responses' : 'chat';
}
