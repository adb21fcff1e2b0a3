import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { WebSocketServer } from 'ws';

/** All providers of a test behind one address: answers each path as it is documented, and counts who asks. */
export interface RouteUpstream {
  readonly origin: string;
  /** Requests and upgrades, as `POST /v1/chat/completions`. */
  readonly asked: string[];
  /** What its models say from now on. */
  says(text: string): void;
  /** What their replies tell of their use from now on. */
  uses(usage: JsonObject): void;
  /** A whole body for paths with this end, in the place of the documented one. */
  answers(end: string, body: JsonObject | string, type?: string): void;
}

interface State {
  text: string;
  usage: JsonObject;
  readonly own: Map<string, { readonly body: JsonObject | string; readonly type: string }>;
}

export async function startRouteUpstream(t: Pick<TestContext, 'after'>): Promise<RouteUpstream> {
  const asked: string[] = [];
  const state: State = { text: 'Hello.', usage: {}, own: new Map() };
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    const { method = '', url = '' } = request;
    asked.push(`${method} ${url}`);
    answer(request, response, state);
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    asked.push(`UPGRADE ${request.url}`);
    sockets.handleUpgrade(request, socket, head, (session) => {
      session.on('message', (data) => {
        if (!String(data).includes('response.create')) return;
        session.send(JSON.stringify({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } }));
        const usage = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
        session.send(JSON.stringify({ type: 'response.done', response: { id: 'resp_1', status: 'completed', usage } }));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
    server.closeAllConnections();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    says: (text) => {
      state.text = text;
    },
    uses: (usage) => {
      state.usage = usage;
    },
    answers: (end, body, type = 'application/json') => {
      state.own.set(end, { body, type });
    },
  };
}

function answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse, state: State): void {
  const path = url.split('?')[0] ?? '';
  const own = [...state.own].find(([end]) => path.endsWith(end))?.[1];
  if (own !== undefined || path.endsWith('/audio/speech')) {
    response.writeHead(200, { 'content-type': own?.type ?? 'audio/mpeg' });
    response.end(typeof own?.body === 'object' ? JSON.stringify(own.body) : (own?.body ?? 'sound'));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(replyTo(method, path, state)));
}

const part = (text: string) => [{ type: 'text', text: { value: text, annotations: [] } }];
const spoken = (text: string) => [{ type: 'output_text', text, annotations: [] }];

/** By the end of the path. */
const made: readonly (readonly [RegExp, (state: State) => JsonObject])[] = [
  [
    /\/chat\/completions$/,
    ({ text, usage }) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o-mini',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100, ...usage },
    }),
  ],
  [
    /\/completions$/,
    ({ text }) => ({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model: 'gpt-3.5-turbo-instruct',
      choices: [{ index: 0, text, finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 },
    }),
  ],
  [
    /\/embeddings$/,
    () => ({
      object: 'list',
      model: 'e',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 60, total_tokens: 60 },
    }),
  ],
  [/\/messages\/count_tokens$/, () => ({ input_tokens: 14 })],
  [
    /\/anthropic\/v1\/messages$/,
    ({ text }) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-haiku-4-5',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 60, output_tokens: 40 },
    }),
  ],
  [/\/responses\/[^/]+\/input_items$/, ({ text }) => pageOf({ type: 'message', role: 'user', content: spoken(text) })],
  [/\/responses(\/[^/]+(\/cancel)?)?$/, ({ text }) => responseOf(text)],
  [
    /\/rerank$/,
    () => ({ id: 'r', results: [{ index: 0, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } }),
  ],
  [/\/moderations$/, () => ({ id: 'modr-1', model: 'm', results: [{ flagged: false, categories: {} }] })],
  [
    /\/ocr$/,
    ({ text }) => ({
      model: 'mistral-ocr-latest',
      pages: [{ index: 0, markdown: text, images: [], dimensions: null }],
      usage_info: { pages_processed: 1 },
    }),
  ],
  [/\/images\/[a-z]+$/, ({ usage }) => ({ created: 1, data: [{ b64_json: 'aGk=' }], ...usage })],
  [/\/audio\/(transcriptions|translations)$/, ({ text, usage }) => ({ text, ...usage })],
  [/\/messages(\/[^/]+)?$/, ({ text }) => pageOf({ object: 'thread.message', role: 'assistant', content: part(text) })],
  [/\/items(\/[^/]+)?$/, ({ text }) => pageOf({ type: 'message', role: 'assistant', content: spoken(text) })],
  [/\/(events|checkpoints)$/, () => ({ object: 'list', data: [], has_more: false })],
  [/\/runs(\/.*)?$/, ({ text }) => ({ id: 'run_9', object: 'thread.run', status: 'queued', instructions: text })],
  [/\/search$/, ({ text }) => pageOf({ file_id: 'file-9', score: 0.5, content: [{ type: 'text', text }] })],
];

function pageOf(item: JsonObject): JsonObject {
  return { object: 'list', data: [{ id: 'item-9', ...item }], has_more: false };
}

function responseOf(text: string): JsonObject {
  return {
    id: 'resp-1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-4o-mini',
    output: [{ id: 'msg-1', type: 'message', status: 'completed', role: 'assistant', content: spoken(text) }],
    usage: { input_tokens: 60, output_tokens: 40, total_tokens: 100 },
  };
}

/** What a POST to a path makes: the id of the one object of each kind, and what else it says of itself. */
const objects: Readonly<Record<string, JsonObject>> = {
  responses: { id: 'resp-1', object: 'response' },
  files: { id: 'file-1', object: 'file', bytes: 3, created_at: 1, filename: 'x', purpose: 'user_data' },
  batches: { id: 'batch-1', object: 'batch', status: 'completed', input_file_id: 'file-1', output_file_id: 'file-2' },
  jobs: { id: 'ftjob-1', object: 'fine_tuning.job', status: 'running', model: 'gpt-4o-mini' },
  assistants: { id: 'asst-1', object: 'assistant', created_at: 1, model: 'gpt-4o-mini' },
  threads: { id: 'thread-1', object: 'thread', created_at: 1 },
  vector_stores: { id: 'vs-1', object: 'vector_store', created_at: 1 },
  conversations: { id: 'conv-1', object: 'conversation', created_at: 1 },
  models: { id: 'gpt-4o-mini', object: 'model', created: 1, owned_by: 'openai' },
};

function replyTo(method: string, path: string, state: State): JsonObject {
  const [, reply] = made.find(([end]) => end.test(path)) ?? [];
  if (reply !== undefined && method !== 'DELETE') return reply(state);
  const [, kind = '', id] = /\/([a-z_]+)(?:\/([^/]+))?(?:\/cancel)?$/.exec(path.replace('/fine_tuning', '')) ?? [];
  const object = objects[kind];
  if (object === undefined) return { said: state.text };
  if (method === 'GET' && id === undefined) return { object: 'list', data: [object], has_more: false };
  return method === 'DELETE' ? { id: object.id ?? '', object: object.object ?? '', deleted: true } : object;
}
