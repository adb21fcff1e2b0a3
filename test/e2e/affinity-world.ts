import type { JsonObject } from 'portcullis/sdk';
import type { Reply, TestGateway } from '../support/gateway.ts';
import { type Act, type Peer, type PeerRequest, startPeer } from '../support/peer.ts';

/** A provider's account on 127.0.0.1: it knows what it has made, and nothing else. */
export interface Account extends Peer {
  /** What it has made and not deleted, by id. */
  readonly objects: Map<string, JsonObject>;
}

const json = (body: JsonObject, status = 200): Act => ({ status, body });
const missing = (id: string): Act =>
  json({ error: { message: `No such object: ${id}`, type: 'invalid_request_error' } }, 404);

export async function startAccount(t: Parameters<typeof startPeer>[0], name: string): Promise<Account> {
  const peer = await startPeer(t);
  const objects = new Map<string, JsonObject>();
  let count = 0;
  const made = (prefix: string, object: string, more: JsonObject = {}): JsonObject => {
    count += 1;
    const made = { id: `${prefix}-${name}${count}`, object, created_at: 1_700_000_000, ...more };
    objects.set(made.id, made);
    return made;
  };
  peer.always((request) => served(request, { objects, made, name }));
  return Object.assign(peer, { objects });
}

interface Shop {
  readonly name: string;
  readonly objects: Map<string, JsonObject>;
  made(prefix: string, object: string, more?: JsonObject): JsonObject;
}

const listed: Readonly<Record<string, string>> = {
  files: 'file',
  batches: 'batch',
  jobs: 'fine_tuning.job',
  assistants: 'assistant',
  vector_stores: 'vector_store',
  threads: 'thread',
  conversations: 'conversation',
};

function served(request: PeerRequest, shop: Shop): Act {
  const path = (request.url.split('?')[0] ?? '').replace('/v1/', '').replace('fine_tuning/', '');
  const [top = '', id, ...rest] = path.split('/');
  if (top === 'responses') return ofResponses(request, id, shop);
  const kind = listed[top];
  if (kind === undefined) return missing(path);
  if (id === undefined)
    return request.method === 'POST' ? json(created(top, kind, request, shop)) : json(page(kind, shop));
  const known = shop.objects.get(id);
  if (known === undefined) return missing(id);
  if (request.method === 'DELETE') {
    shop.objects.delete(id);
    return json({ id, object: `${kind}.deleted`, deleted: true });
  }
  if (rest[0] === 'content')
    return { body: `content of ${id}`, headers: { 'content-type': 'application/octet-stream' } };
  if (rest.length > 0 && request.method === 'POST') return json(shop.made('part', `${kind}.part`, { thread_id: id }));
  return json(known);
}

function created(top: string, kind: string, { body }: PeerRequest, { made, name }: Shop): JsonObject {
  if (top === 'files')
    return made('file', kind, { bytes: 3, filename: 'x.jsonl', purpose: 'batch', status: 'processed' });
  if (top !== 'batches') return made(top, kind);
  const output = made('file', 'file', { filename: `out-${name}` });
  const { input_file_id = '', endpoint = '' } = body;
  return made('batch', kind, {
    status: 'completed',
    input_file_id,
    endpoint,
    completion_window: '24h',
    output_file_id: output.id ?? '',
  });
}

function page(kind: string, { objects }: Shop): JsonObject {
  const data = [...objects.values()].filter(({ object }) => object === kind);
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
}

/** Refuses what came before and is not its own, as the real one does. */
function ofResponses({ method, body }: PeerRequest, id: string | undefined, shop: Shop): Act {
  const { objects, made, name } = shop;
  if (id !== undefined) {
    const known = objects.get(id);
    if (known === undefined) return missing(id);
    if (method !== 'DELETE') return json(known);
    objects.delete(id);
    return json({ id, object: 'response', deleted: true });
  }
  const before = body.previous_response_id;
  if (typeof before === 'string' && !objects.has(before)) return missing(before);
  const sealed = JSON.stringify(body.input ?? '').match(/sealed-by-(\w)/)?.[1];
  if (sealed !== undefined && sealed !== name) {
    return json(
      { error: { message: 'The encrypted content could not be verified.', code: 'invalid_encrypted_content' } },
      400,
    );
  }
  const message = {
    id: `msg-${name}${objects.size}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'hello', annotations: [] }],
  };
  const reasoning = {
    id: `rs-${name}${objects.size}`,
    type: 'reasoning',
    summary: [],
    encrypted_content: `sealed-by-${name}-${objects.size}`,
  };
  const output = Array.isArray(body.include) ? [reasoning, message] : [message];
  const response = made('resp', 'response', { status: 'completed', model: 'm', store: body.store ?? true, output });
  return body.stream === true ? { events: eventsOf(response, output) } : json(response);
}

function eventsOf(response: JsonObject, output: readonly JsonObject[]): readonly string[] {
  const event = (type: string, fields: JsonObject) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const open = { ...response, status: 'in_progress', output: [] };
  return [
    event('response.created', { sequence_number: 0, response: open }),
    event('response.in_progress', { sequence_number: 1, response: open }),
    ...output.flatMap((item, index) => [
      event('response.output_item.added', { output_index: index, item: { ...item, encrypted_content: null } }),
      event('response.output_text.delta', {
        output_index: index,
        content_index: 0,
        item_id: item.id ?? '',
        delta: 'hello',
      }),
      event('response.output_item.done', { output_index: index, item }),
    ]),
    event('response.completed', { response }),
  ];
}

/** A target of a config that calls the account. */
export function account({ origin }: Pick<Peer, 'origin'>, key: string, more: JsonObject = {}): JsonObject {
  return { provider: 'openai', api_key: key, custom_host: `${origin}/v1`, ...more };
}

export function balanced(...targets: readonly JsonObject[]): JsonObject {
  return { strategy: { mode: 'loadbalance' }, targets };
}

/** Numbers that lead a balance of two by turns to the first and the second. */
export function byTurns(): () => number {
  let turn = 0;
  return () => (turn++ % 2 === 0 ? 0.1 : 0.9);
}

export type Caller = Pick<TestGateway, 'request' | 'post'>;
type Headers = Readonly<Record<string, string>>;

export async function upload({ url }: Pick<TestGateway, 'url'>, headers: Headers = {}): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(['{}\n']), 'x.jsonl');
  const reply = await fetch(`${url}/v1/files`, { method: 'POST', body: form, headers });
  const made = (await reply.json()) as { readonly id?: unknown };
  if (reply.status !== 200 || typeof made.id !== 'string') throw new Error(`${reply.status} ${JSON.stringify(made)}`);
  return made.id;
}

export const idsIn = ({ json: { data } }: Reply): readonly unknown[] =>
  Array.isArray(data) ? data.map((item) => (item as { readonly id?: unknown }).id) : [];
