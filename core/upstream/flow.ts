import {
  asObject,
  type Flow,
  type FlowReply,
  type FlowRequest,
  type FlowResult,
  type FlowTools,
  GatewayError,
  type Outcome,
  parseJson,
  type ReplyStream,
} from 'portcullis/sdk';
import { documented } from './document-reply.ts';
import { failed } from './failed-reply.ts';
import { FlowDeadline } from './flow-deadline.ts';
import { answeredByFlow, askedOfFlow } from './flow-embeddings.ts';
import { callOf } from './flow-request.ts';
import { repliedHeaders } from './headers.ts';
import { chunksOf, streamOf } from './iterable-stream.ts';
import { misread, reading, unwritable } from './misread.ts';
import type { Outbound } from './outbound.ts';
import type { OutgoingCall } from './outgoing.ts';
import type { ReplyFacts } from './reply.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Timeouts, WireHeaders, WireReply } from './transport.ts';

/** A reply that ends a flow: its client gets it as the provider's error. */
class Refused extends Error {
  readonly reply: { readonly status: number; readonly headers: WireHeaders; readonly bytes: Buffer };

  constructor(reply: Refused['reply']) {
    super(`The provider answered with status ${reply.status}.`);
    this.reply = reply;
  }
}

type Transmit = (call: OutgoingCall, timeouts: Timeouts) => Promise<WireReply>;

const noLimits: Timeouts = { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: 0 };

/**
 * Answers a request by the several calls that its provider needs.
 * @param timeouts for all calls together
 */
export async function runFlow(
  flow: Flow,
  outbound: Outbound,
  facts: ReplyFacts,
  transmit: Transmit,
  timeouts: Timeouts = noLimits,
): Promise<Outcome> {
  const run = new FlowRun(outbound, facts, transmit, new FlowDeadline(timeouts));
  try {
    const result = await flow(
      { facts: outbound.facts, body: askedOfFlow(outbound, facts), files: outbound.files },
      run.tools(),
    );
    return outcomeOf(result, outbound, facts, () => run.abort());
  } catch (error) {
    run.abort();
    if (!(error instanceof Refused)) throw run.told(error);
    const { status, headers, bytes } = error.reply;
    const waitMs = retryAfterMs(headers, facts.nowMs);
    return reading(facts.provider, () =>
      failed(bytes, status, repliedHeaders(headers, false, outbound.vendors), outbound, facts, waitMs),
    );
  }
}

/** The calls of one flow. */
class FlowRun {
  readonly #outbound: Outbound;
  readonly #facts: ReplyFacts;
  readonly #transmit: Transmit;
  readonly #deadline: FlowDeadline;
  /** Replies that flow. */
  readonly #opened = new Set<ReplyStream>();
  #answered = false;

  constructor(outbound: Outbound, facts: ReplyFacts, transmit: Transmit, deadline: FlowDeadline) {
    this.#outbound = outbound;
    this.#facts = facts;
    this.#transmit = transmit;
    this.#deadline = deadline;
  }

  tools(): FlowTools {
    const { nowSeconds, newId } = this.#facts.context();
    return {
      send: (wanted) => this.#send(wanted),
      open: (wanted) => this.#open(wanted),
      pause: (ms) => this.#deadline.pause(ms, this.#facts.cancellation),
      nowSeconds,
      newId,
    };
  }

  /** Frees the connections of replies that nobody reads any more. */
  abort(): void {
    for (const stream of this.#opened) stream.abort();
    this.#opened.clear();
  }

  /** What a flow throws, as its client is told of it: before the first answer it can only be about the request. */
  told(error: unknown): unknown {
    const { provider } = this.#facts;
    return this.#answered ? misread(provider, error) : unwritable(this.#outbound.unit.name, error);
  }

  async #send(wanted: FlowRequest): Promise<FlowReply> {
    const reply = await this.#reply(wanted, true);
    const bytes = accepted(reply, wanted);
    return { ...headOf(reply), bytes, json: asObject(parseJson(bytes.toString('utf8'))) ?? {} };
  }

  async #open(wanted: FlowRequest): ReturnType<FlowTools['open']> {
    const reply = await this.#reply(wanted, false);
    if (reply.stream === undefined) return { ...headOf(reply), body: once(accepted(reply, wanted)) };
    this.#opened.add(reply.stream);
    return { ...headOf(reply), body: chunksOf(reply.stream) };
  }

  async #reply(wanted: FlowRequest, whole: boolean): Promise<WireReply> {
    if (this.#facts.cancellation.cancelled) {
      throw new GatewayError('client_closed', 'The client left before the reply was complete.');
    }
    try {
      const reply = await this.#transmit(callOf(wanted, this.#outbound, whole), this.#deadline.left());
      this.#answered = true;
      return reply;
    } catch (error) {
      throw this.#deadline.told(error);
    }
  }
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

function outcomeOf(result: FlowResult, outbound: Outbound, facts: ReplyFacts, abort: () => void): Outcome {
  const { dialect } = outbound.chosen;
  const { provider, model, path, region } = facts;
  const base = { status: result.status, headers: {}, provider, model, path, retries: 0, region: () => region };
  const usage = () => {
    if (dialect?.kind === 'document') return dialect.usageIn({}, outbound.asked);
    return 'json' in result ? dialect?.usageOf(result.json) : undefined;
  };
  if ('json' in result) {
    if (dialect?.kind === 'document') return documented(dialect, base, outbound, result.json);
    const bytes = Buffer.from(JSON.stringify(answeredByFlow(result.json, outbound, facts)));
    return { ...base, headers: { 'content-type': 'application/json' }, body: { kind: 'bytes', bytes }, usage };
  }
  const headers = { 'content-type': result.contentType };
  if (result.body instanceof Uint8Array)
    return { ...base, headers, body: { kind: 'bytes', bytes: result.body }, usage };
  return { ...base, headers, body: { kind: 'stream', stream: streamOf(result.body, abort) }, usage };
}
