import {
  asString,
  type Completion,
  type Delta,
  deltasOf,
  type GenerationDialect,
  type JsonObject,
  type LocalReply,
  type ProviderFault,
  type ReplyContext,
  sseFrame,
} from 'portcullis/sdk';
import type { Behaviour } from './model-name.ts';
import { piecesOf } from './text.ts';

const json = { 'content-type': 'application/json' };
const eventStream = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

export function jsonReply(
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): LocalReply {
  return { status, headers: { ...json, ...headers }, body: chunksOf([JSON.stringify(body)]) };
}

export function textReply(text: string, type = 'text/plain; charset=utf-8'): LocalReply {
  return { status: 200, headers: { 'content-type': type }, body: chunksOf([text]) };
}

export function bytesReply(bytes: Uint8Array, type: string): LocalReply {
  return { status: 200, headers: { 'content-type': type }, body: wholeOf(bytes) };
}

/** A stream of events whose names are their `type`, as far as they have one. */
export function eventsReply(events: readonly JsonObject[]): LocalReply {
  const texts = events.map((event) => sseFrame(JSON.stringify(event), asString(event.type)));
  return { status: 200, headers: eventStream, body: chunksOf(texts) };
}

/** A run of a thread as its stream. */
export function threadEvents(run: JsonObject, message: JsonObject, text: string): LocalReply {
  const delta = (value: string) => ({ content: [{ index: 0, type: 'text', text: { value, annotations: [] } }] });
  const events: readonly (readonly [string, JsonObject])[] = [
    ['thread.run.created', { ...run, status: 'queued' }],
    ['thread.run.in_progress', { ...run, status: 'in_progress' }],
    ['thread.message.created', { ...message, status: 'in_progress', content: [] }],
    ...piecesOf(text).map((piece): [string, JsonObject] => [
      'thread.message.delta',
      { id: message.id ?? null, object: 'thread.message.delta', delta: delta(piece) },
    ]),
    ['thread.message.completed', message],
    ['thread.run.completed', run],
  ];
  const texts = events.map(([name, event]) => sseFrame(JSON.stringify(event), name));
  return { status: 200, headers: eventStream, body: chunksOf([...texts, sseFrame('[DONE]', 'done')]) };
}

/** An error in the words of a dialect. Overloads of whole replies are errors too. */
export function faultReply(
  fault: ProviderFault,
  encode: (fault: ProviderFault, requestId: string) => JsonObject,
): LocalReply {
  return jsonReply(fault.status, encode(fault, 'req_echo'), fault.status === 429 ? { 'retry-after': '1' } : {});
}

/** A whole reply, or what the model name makes of it. */
export function wholeReply(
  dialect: GenerationDialect,
  completion: Completion,
  behaviour: Behaviour,
  context: ReplyContext,
): LocalReply {
  if (behaviour.overload === 1) return faultReply(overloaded, dialect.encodeFault);
  const text = JSON.stringify(dialect.encodeReply(completion, context));
  const half = text.slice(0, Math.ceil(text.length / 2));
  if (behaviour.empty === 1) return { status: 200, headers: json, body: chunksOf([]) };
  if (behaviour.malformed === 1 || behaviour.truncate === 1)
    return { status: 200, headers: json, body: chunksOf([half]) };
  return {
    status: 200,
    headers: json,
    body: chunksOf(behaviour.close === 1 ? [half] : [text], { breaksOff: behaviour.close === 1 }),
  };
}

/** A streamed reply, or what the model name makes of it. */
export function streamReply(
  dialect: GenerationDialect,
  completion: Completion,
  behaviour: Behaviour,
  context: ReplyContext,
  signal: AbortSignal,
): LocalReply {
  const events =
    behaviour.overload === 1 ? [dialect.encodeStreamFault(overloaded)] : eventsOf(dialect, completion, context);
  const body = chunksOf(spoiled(events, behaviour), {
    breaksOff: behaviour.close === 1,
    pauseMs: behaviour['chunk-delay'] ?? 0,
    signal,
  });
  return { status: 200, headers: eventStream, body };
}

const overloaded: ProviderFault = { status: 529, type: 'overloaded_error', message: 'Overloaded' };

function spoiled(events: readonly string[], behaviour: Behaviour): readonly string[] {
  if (behaviour.empty === 1) return [];
  if (behaviour.malformed === 1) return [...events.slice(0, 2), 'data: {"echo": this is no JSON\n\n'];
  if (behaviour.close === 1) return events.slice(0, 2);
  return behaviour.truncate === 1 ? events.slice(0, -1) : events;
}

function eventsOf(dialect: GenerationDialect, completion: Completion, context: ReplyContext): readonly string[] {
  const encoder = dialect.encodeStream(context);
  const text = deltasOf(completion)
    .flatMap((delta) => wordByWord(delta, completion))
    .map((delta) => encoder.push(delta))
    .join('');
  return text.split(/(?<=\n\n)/);
}

function wordByWord(delta: Delta, { usage }: Completion): readonly Delta[] {
  switch (delta.type) {
    case 'start':
      return [usage === undefined ? delta : { ...delta, usage: { input: usage.input, output: 0 } }];
    case 'text':
    case 'thinking':
      return delta.text === '' ? [delta] : piecesOf(delta.text).map((text) => ({ ...delta, text }));
    case 'tool-arguments':
      return piecesOf(delta.text).map((text) => ({ ...delta, text }));
    case 'citation':
    case 'refusal':
    case 'signature':
    case 'redacted-thinking':
    case 'tool-call':
    case 'part':
    case 'audio':
    case 'logprobs':
    case 'finish':
    case 'usage':
    case 'extra':
    case 'fault':
    case 'end':
      return [delta];
  }
}

async function* wholeOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface Flow {
  readonly breaksOff?: boolean;
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
}

async function* chunksOf(texts: readonly string[], flow: Flow = {}): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const [index, text] of texts.entries()) {
    if (index > 0 && flow.pauseMs !== undefined && flow.pauseMs > 0) await pause(flow.pauseMs, flow.signal);
    flow.signal?.throwIfAborted();
    yield encoder.encode(text);
  }
  if (flow.breaksOff === true) throw new Error('The echo closed the connection, as its model name says.');
}

/** Waits; rejects at once when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
