import {
  asArray,
  asObject,
  type Endpoint,
  isForeignReasoning,
  type Json,
  type JsonObject,
  parseJson,
} from 'portcullis/sdk';
import { idsInRest, segmentsOf } from './ids-in-path.ts';
import type { ObjectKind } from './rows.ts';

/** An object that a request speaks of. */
export interface Reference {
  /** Where the request names it: `id`, `input[2].encrypted_content`. */
  readonly field: string;
  /** Its id, or the encrypted content itself. */
  readonly id: string;
  readonly kind: ObjectKind;
}

/** What is looked at of a request. */
export interface ReferringRequest {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  /** With its `?`, or ''. */
  readonly query: string;
  readonly body: JsonObject;
  /** What passes untouched. */
  readonly rawBody?: Uint8Array | undefined;
}

const none: readonly Reference[] = [];

/** The objects that a request speaks of and that one target alone may know. Without any: the same empty list each time. */
export function referencesOf(request: ReferringRequest): readonly Reference[] {
  const found: Reference[] = [];
  const add: Add = (field, id, kind) => {
    if (typeof id === 'string' && id !== '') found.push({ field, id, kind });
  };
  readers[request.endpoint]?.(request, add);
  return found.length === 0 ? none : found;
}

type Add = (field: string, id: Json | undefined, kind: ObjectKind) => void;
type Reader = (request: ReferringRequest, add: Add) => void;

/** The path of one object. */
const ofPath =
  (kind: ObjectKind): Reader =>
  ({ params, query }, add) => {
    add('id', params.id, kind);
    ofPage(query, add, kind);
  };

const ofList =
  (kind: ObjectKind): Reader =>
  ({ query }, add) =>
    ofPage(query, add, kind);

/** Lists go on behind, or before, an object of the page before. */
function ofPage(query: string, add: Add, kind: ObjectKind): void {
  if (!query.includes('after=') && !query.includes('before=')) return;
  const given = new URLSearchParams(query);
  for (const field of ['after', 'before']) add(field, given.get(field) ?? undefined, kind);
}

const below =
  (kind: ObjectKind, ofBody: (body: JsonObject, add: Add) => void): Reader =>
  ({ params, query, body }, add) => {
    const files = kind === 'vector_store' && /\/files\//.test(params.rest ?? '');
    for (const [index, id] of idsInRest(params.rest).entries()) {
      add('path', id, index === 0 ? kind : files ? 'file' : 'part');
    }
    ofPage(query, add, idsInRest(params.rest).length === 0 ? kind : 'part');
    ofBody(body, add);
  };

function inMessages(messages: Json | undefined, at: string, add: Add): void {
  if (!Array.isArray(messages)) return;
  for (let index = 0; index < messages.length; index += 1) {
    const message = asObject(messages[index]);
    if (message === undefined) continue;
    if (typeof message.content === 'object') inParts(message.content, `${at}[${index}].content`, add);
    if (message.attachments !== undefined) inParts(message.attachments, `${at}[${index}].attachments`, add);
  }
}

/** Parts of a message, in any of the formats; results of tools hold parts of their own. */
function inParts(parts: Json | undefined, at: string, add: Add): void {
  if (!Array.isArray(parts)) return;
  for (let index = 0; index < parts.length; index += 1) {
    const part = asObject(parts[index]);
    // Most are texts and pictures: no path is put together for those.
    if (part !== undefined && holders.some((name) => part[name] !== undefined)) inPart(part, `${at}[${index}]`, add);
  }
}

const holders = ['file_id', 'file', 'image_file', 'source', 'content'] as const;

function inPart(part: JsonObject, at: string, add: Add): void {
  add(`${at}.file_id`, part.file_id, 'file');
  for (const holder of ['file', 'image_file', 'source'] as const) {
    if (part[holder] !== undefined) add(`${at}.${holder}.file_id`, asObject(part[holder])?.file_id, 'file');
  }
  if (typeof part.content === 'object') inParts(part.content, `${at}.content`, add);
}

/** Items of a response or a conversation. */
function inItems(items: Json | undefined, at: string, add: Add): void {
  if (!Array.isArray(items)) return;
  for (let index = 0; index < items.length; index += 1) {
    const item = asObject(items[index]);
    if (item !== undefined) inItem(item, `${at}[${index}]`, add);
  }
}

function inItem(item: JsonObject, at: string, add: Add): void {
  // What the gateway translated can be translated for any other provider too.
  if (isForeignReasoning(item)) return;
  const { encrypted_content: encrypted, type, container_id: container, content, output } = item;
  if (typeof encrypted === 'string') add(`${at}.encrypted_content`, encrypted, 'reasoning');
  else if (type === 'item_reference' || type === 'reasoning') add(`${at}.id`, item.id, 'item');
  if (container !== undefined) add(`${at}.container_id`, container, 'container');
  if (typeof content === 'object') inParts(content, `${at}.content`, add);
  if (Array.isArray(output)) inParts(output, `${at}.output`, add);
  else if (typeof output === 'object') inPart(asObject(output) ?? {}, `${at}.output`, add);
}

function each(ids: Json | undefined, at: string, add: Add, kind: ObjectKind): void {
  for (const [index, id] of asArray(ids).entries()) add(`${at}[${index}]`, id, kind);
}

function inTools(tools: Json | undefined, at: string, add: Add): void {
  for (const [index, given] of asArray(tools).entries()) {
    const tool = asObject(given) ?? {};
    const place = `${at}[${index}]`;
    each(tool.vector_store_ids, `${place}.vector_store_ids`, add, 'vector_store');
    inContainer(tool.container, `${place}.container`, add);
    add(`${place}.input_image_mask.file_id`, asObject(tool.input_image_mask)?.file_id, 'file');
  }
}

/** A container by its id, or one that is to be made, with files. */
function inContainer(container: Json | undefined, at: string, add: Add): void {
  add(at, container, 'container');
  const made = asObject(container);
  add(`${at}.id`, made?.id, 'container');
  each(made?.file_ids, `${at}.file_ids`, add, 'file');
}

function inResources({ tool_resources: given }: JsonObject, at: string, add: Add): void {
  const { code_interpreter: code, file_search: search } = asObject(given) ?? {};
  each(asObject(code)?.file_ids, `${at}tool_resources.code_interpreter.file_ids`, add, 'file');
  const place = `${at}tool_resources.file_search`;
  each(asObject(search)?.vector_store_ids, `${place}.vector_store_ids`, add, 'vector_store');
  for (const [index, store] of asArray(asObject(search)?.vector_stores).entries()) {
    each(asObject(store)?.file_ids, `${place}.vector_stores[${index}].file_ids`, add, 'file');
  }
}

function inAssistant(body: JsonObject, add: Add): void {
  each(body.file_ids, 'file_ids', add, 'file');
  inResources(body, '', add);
}

function inThread(body: JsonObject, add: Add): void {
  add('assistant_id', body.assistant_id, 'assistant');
  add('thread_id', body.thread_id, 'thread');
  const thread = asObject(body.thread) ?? {};
  inMessages(thread.messages, 'thread.messages', add);
  inResources(thread, 'thread.', add);
  inMessages(body.messages, 'messages', add);
  inMessages(body.additional_messages, 'additional_messages', add);
  // A message alone is the body of its own route.
  inParts(body.content, 'content', add);
  inParts(body.attachments, 'attachments', add);
  inAssistant(body, add);
}

function inVectorStore(body: JsonObject, add: Add): void {
  add('file_id', body.file_id, 'file');
  each(body.file_ids, 'file_ids', add, 'file');
  inParts(body.files, 'files', add);
}

function inResponse({ body }: ReferringRequest, add: Add): void {
  add('previous_response_id', body.previous_response_id, 'response');
  if (body.conversation !== undefined) {
    add('conversation', body.conversation, 'conversation');
    add('conversation.id', asObject(body.conversation)?.id, 'conversation');
  }
  if (typeof body.input === 'object') inItems(body.input, 'input', add);
  if (body.tools !== undefined) inTools(body.tools, 'tools', add);
}

/** Where the paths of providers name an object: `files/file-1/content`. */
const named: Readonly<Record<string, ObjectKind>> = {
  files: 'file',
  batches: 'batch',
  jobs: 'fine_tuning_job',
  responses: 'response',
  containers: 'container',
  assistants: 'assistant',
  threads: 'thread',
  vector_stores: 'vector_store',
  conversations: 'conversation',
};

/** Of what passes untouched: its path may be any, and so its body is read as each route reads one. */
function inProxied(request: ReferringRequest, add: Add): void {
  const { params, query, rawBody } = request;
  const segments = segmentsOf(params.path).filter((segment) => segment !== '');
  for (const [index, segment] of segments.entries()) {
    const kind = Object.hasOwn(named, segment) ? named[segment] : undefined;
    if (kind !== undefined) add('path', segments[index + 1], kind);
  }
  ofPage(query, add, 'part');
  const body = rawBody === undefined ? undefined : asObject(parseJson(Buffer.from(rawBody).toString('utf8')));
  if (body !== undefined) inAny({ ...request, body }, add);
}

function inAny(request: ReferringRequest, add: Add): void {
  const { body } = request;
  inResponse(request, add);
  inThread(body, add);
  inVectorStore(body, add);
  inContainer(body.container, 'container', add);
  inItems(body.items, 'items', add);
  inJob(body, add);
}

/** A batch, or a fine-tuning job. */
function inJob(body: JsonObject, add: Add): void {
  for (const field of ['input_file_id', 'training_file', 'validation_file']) add(field, body[field], 'file');
}

const readers: { readonly [E in Endpoint]?: Reader } = {
  chatComplete: ({ body }, add) => inMessages(body.messages, 'messages', add),
  messages: ({ body }, add) => {
    inMessages(body.messages, 'messages', add);
    if (body.container !== undefined) inContainer(body.container, 'container', add);
  },
  messagesCountTokens: ({ body }, add) => inMessages(body.messages, 'messages', add),
  createModelResponse: inResponse,
  getModelResponse: ofPath('response'),
  deleteModelResponse: ofPath('response'),
  cancelModelResponse: ofPath('response'),
  listResponseInputItems: ofPath('response'),
  listFiles: ofList('file'),
  retrieveFile: ofPath('file'),
  deleteFile: ofPath('file'),
  retrieveFileContent: ofPath('file'),
  createBatch: ({ body }, add) => inJob(body, add),
  listBatches: ofList('batch'),
  retrieveBatch: ofPath('batch'),
  cancelBatch: ofPath('batch'),
  getBatchOutput: ofPath('batch'),
  createFinetune: ({ body }, add) => inJob(body, add),
  listFinetunes: ofList('fine_tuning_job'),
  retrieveFinetune: ofPath('fine_tuning_job'),
  cancelFinetune: ofPath('fine_tuning_job'),
  listFinetuneEvents: ofPath('fine_tuning_job'),
  listFinetuneCheckpoints: ofPath('fine_tuning_job'),
  assistants: below('assistant', inAssistant),
  threads: below('thread', inThread),
  vectorStores: below('vector_store', inVectorStore),
  conversations: below('conversation', (body, add) => inItems(body.items, 'items', add)),
  proxy: inProxied,
};
