import {
  asObject,
  type Flow,
  type FlowReply,
  type FlowRequest,
  type FlowResult,
  GatewayError,
  type Json,
  type Outcome,
  parseJson,
} from 'portcullis/sdk';
import { encodeForm } from '../uploads/index.ts';
import { documented } from './document-reply.ts';
import { failed } from './failed-reply.ts';
import { repliedHeaders } from './headers.ts';
import { chunksOf, streamOf } from './iterable-stream.ts';
import type { Outbound } from './outbound.ts';
import type { OutgoingCall } from './outgoing.ts';
import type { ReplyFacts } from './reply.ts';
import { retryAfterMs } from './retry-after.ts';
import type { WireHeaders, WireReply } from './transport.ts';
import { isStreamed } from './transport.ts';

/** A reply that ends a flow: its client gets it as the provider's error. */
class Refused extends Error {
  readonly reply: { readonly status: number; readonly headers: WireHeaders; readonly bytes: Buffer };

  constructor(reply: Refused['reply']) {
    super(`The provider answered with status ${reply.status}.`);
    this.reply = reply;
  }
}

/** Answers a request by the several calls that its provider needs. */
export async function runFlow(
  flow: Flow,
  outbound: Outbound,
  facts: ReplyFacts,
  transmit: (call: OutgoingCall) => Promise<WireReply>,
): Promise<Outcome> {
  const send = async (wanted: FlowRequest): Promise<FlowReply> => {
    const reply = await transmit(callOf(wanted, outbound, true));
    const bytes = accepted(reply, wanted);
    return { ...headOf(reply), bytes, json: asObject(parseJson(bytes.toString('utf8'))) ?? {} };
  };
  const open = async (wanted: FlowRequest) => {
    const reply = await transmit(callOf(wanted, outbound, false));
    if (reply.stream === undefined) {
      const bytes = accepted(reply, wanted);
      return { ...headOf(reply), body: once(bytes) };
    }
    return { ...headOf(reply), body: chunksOf(reply.stream) };
  };
  const { nowSeconds, newId } = facts.context();
  const pause = (ms: number) => pausedFor(ms, facts);
  try {
    const call = { facts: outbound.facts, body: outbound.asked, files: outbound.files };
    const result = await flow(call, { send, open, pause, nowSeconds, newId });
    return outcomeOf(result, outbound, facts);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, headers, bytes } = error.reply;
    const waitMs = retryAfterMs(headers, facts.nowMs);
    return failed(errorIn(bytes.toString('utf8')), status, repliedHeaders(headers, false), outbound, facts, waitMs);
  }
}

/** Stores of objects answer in XML, whatever is asked of them. */
function errorIn(text: string): Json | undefined {
  const json = parseJson(text);
  if (json !== undefined) return json;
  const [, message] = /<Message>([^<]{1,2000})<\/Message>/.exec(text) ?? [];
  const [, code] = /<Code>([\w.]{1,100})<\/Code>/.exec(text) ?? [];
  return message === undefined ? undefined : { error: { message, ...(code === undefined ? {} : { code }) } };
}

function callOf(wanted: FlowRequest, outbound: Outbound, whole: boolean): OutgoingCall {
  const form = wanted.form === undefined ? undefined : encodeForm(wanted.form.fields, wanted.form.files);
  const body = form?.body ?? wanted.body;
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array) && !isStreamed(body as never);
  return {
    method: wanted.method,
    url: urlOf(wanted.url, outbound),
    headers: {
      ...withoutBodyHeaders(outbound.headers),
      accept: whole ? 'application/json' : '*/*',
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...(form === undefined ? {} : { 'content-type': form.contentType }),
      ...wanted.headers,
    },
    body: isJson ? JSON.stringify(body) : (body as OutgoingCall['body']),
    service: wanted.service,
    anonymous: wanted.anonymous,
    collects: (status) => whole || status >= 300,
  };
}

/** A custom host stands for every host of the provider. */
function urlOf(url: string, { settings: { base, customHost } }: Outbound): string {
  if (url.startsWith('/')) return base + url;
  if (!customHost) return url;
  const { pathname, search } = new URL(url);
  return new URL(base).origin + pathname + search;
}

function withoutBodyHeaders({ 'content-type': _, ...headers }: Outbound['headers']): Record<string, string> {
  return headers;
}

function accepted(reply: WireReply, { accepts = [] }: FlowRequest): Buffer {
  const { status, headers } = reply;
  const bytes = reply.bytes ?? Buffer.alloc(0);
  if (status < 300 || accepts.includes(status)) return bytes;
  throw new Refused({ status, headers, bytes });
}

function headOf({ status, headers }: WireReply): Pick<FlowReply, 'status' | 'headers'> {
  const known = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join(', ')] as const],
  );
  return { status, headers: Object.fromEntries(known) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function pausedFor(ms: number, { cancellation }: ReplyFacts): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
    const forget = cancellation.onCancel(() => {
      clearTimeout(timer);
      reject(new GatewayError('client_closed', 'The client left before the reply was complete.'));
    });
  });
}

function outcomeOf(result: FlowResult, outbound: Outbound, facts: ReplyFacts): Outcome {
  const { dialect } = outbound.chosen;
  const { provider, model, path } = facts;
  const base = { status: result.status, headers: {}, provider, model, path, retries: 0 };
  const usage = () => {
    if (dialect?.kind === 'document') return dialect.usageIn({}, outbound.asked);
    return 'json' in result ? dialect?.usageOf(result.json) : undefined;
  };
  if ('json' in result) {
    if (dialect?.kind === 'document') return documented(dialect, base, outbound, result.json);
    const bytes = Buffer.from(JSON.stringify(result.json));
    return { ...base, headers: { 'content-type': 'application/json' }, body: { kind: 'bytes', bytes }, usage };
  }
  const headers = { 'content-type': result.contentType };
  if (result.body instanceof Uint8Array)
    return { ...base, headers, body: { kind: 'bytes', bytes: result.body }, usage };
  return { ...base, headers, body: { kind: 'stream', stream: streamOf(result.body) }, usage };
}
