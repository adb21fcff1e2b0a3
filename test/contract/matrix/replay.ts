import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { asString, GatewayError, type JsonObject, type Outcome, type ReplySink } from 'portcullis/sdk';
import type { InferenceRoute } from '../../../core/http/inference.ts';
import { readRequest } from '../../../core/http/read-request.ts';
import { Ledger } from '../../../core/ledger/ledger.ts';
import { Exchange } from '../../../core/pipeline/exchange.ts';
import type { Runtime } from '../../../core/pipeline/runtime.ts';
import { Authenticator } from '../../../core/upstream/auth.ts';
import { runFlow } from '../../../core/upstream/flow.ts';
import { buildOutbound, type Outbound } from '../../../core/upstream/outbound.ts';
import { errorOutcome } from '../../../core/upstream/outcome.ts';
import { authOf, collects, identityOf, type OutgoingCall, toSign } from '../../../core/upstream/outgoing.ts';
import type { ProviderUnit } from '../../../core/upstream/provider-unit.ts';
import { outcomeOf, type ReplyFacts } from '../../../core/upstream/reply.ts';
import { headerSettings, resolveSettings } from '../../../core/upstream/settings.ts';
import { isStreamed, type WireReply, type WireStream } from '../../../core/upstream/transport.ts';
import { encodeBody } from '../../../sdk/testing/wire-body.ts';
import { leafOf } from '../../support/exchange.ts';
import { testConfig } from '../../support/gateway.ts';
import type { MatrixCase } from './cases.ts';

/** What a provider answers. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** A request as it left, with its credential. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What the client got. */
export interface Told {
  readonly status: number;
  readonly headers: Outcome['headers'];
  readonly text: string;
  readonly outcome: Outcome;
}

/** What a client sends, where it is not what was recorded. */
export interface Asking {
  readonly unit: ProviderUnit;
  readonly route: InferenceRoute;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: JsonObject;
  readonly bytes: Uint8Array | undefined;
}

export const nowMs = 1_767_225_600_000;
export const accessToken = 'token-of-the-matrix';
const runtime: Pick<Runtime, 'config'> = { config: testConfig() };
const requestId = '1'.padStart(32, '0');

/** The request of a recording, for a unit that may be a changed one. */
export function askingOf({ fixture: { call }, route, params, query }: MatrixCase, unit: ProviderUnit): Asking {
  const wire = call.body === undefined ? undefined : encodeBody(call.body, call.type);
  return {
    unit,
    route,
    params,
    query,
    method: call.method,
    path: call.path,
    headers: { ...(wire === undefined ? {} : { 'content-type': wire.contentType }), ...call.headers },
    settings: call.settings,
    bytes: wire?.bytes,
  };
}

/** Reads a request as a route does, and builds what leaves for the provider. @param seen what a plugin would make of the body */
export async function outboundFor(asking: Asking, seen: (body: JsonObject) => JsonObject = (body) => body) {
  const { unit, route, headers, settings } = asking;
  const exchange = new Exchange({
    id: requestId,
    method: asking.method,
    path: asking.path.split('?')[0] ?? '',
    query: asking.query,
    endpoint: route.endpoint,
    dialect: route.dialect,
    params: asking.params,
    headers,
    vendors: ['gw'],
    startedAt: nowMs,
  });
  const request = Object.assign(Readable.from(asking.bytes === undefined ? [] : [Buffer.from(asking.bytes)]), {
    headers,
    complete: true,
  });
  await readRequest(request as unknown as IncomingMessage, route, exchange, runtime as Runtime);
  const body = seen(exchange.body);
  exchange.body = body;
  const { api_key: apiKey, custom_host: customHost, ...own } = settings;
  const leaf = leafOf({
    settings: own,
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(typeof customHost === 'string' ? { customHost } : {}),
  });
  const resolved = resolveSettings({
    unit,
    leaf,
    saved: undefined,
    leafIsCallers: false,
    hostIsCallers: false,
    fromHeaders: headerSettings(unit, exchange, apiKey === undefined),
    env: () => undefined,
  });
  const outbound = buildOutbound({
    request: exchange,
    leaf,
    unit,
    settings: resolved,
    body,
    model: asString(body.model) ?? '',
    rawBody: exchange.rawBody,
    upload: exchange.upload,
    strict: exchange.strict,
    vendors: ['gw'],
    askUsage: false,
  });
  return { exchange, outbound };
}

export type Built = Awaited<ReturnType<typeof outboundFor>>;

const ledger = new Ledger();

/** Sends what was built to answers that come in turn, and takes what the client gets of it. @param sizes of the chunks of a stream */
export async function replay({ exchange, outbound }: Built, answers: readonly Answer[], sizes: readonly number[] = []) {
  const sent: Sent[] = [];
  const auth = authenticator();
  const transmit = async (call: OutgoingCall): Promise<WireReply> => {
    const signed = () => toSign(outbound, call);
    const credential =
      call.anonymous === true ? {} : await auth.headersFor(authOf(outbound), identityOf(outbound), signed);
    const { method, url } = call;
    sent.push({ method, url, headers: { ...call.headers, ...credential }, body: await bytesOf(call.body) });
    const { status, headers, bytes } = answers[sent.length - 1] ?? unexpected;
    const type = headers['content-type'] ?? '';
    const whole = call.collects?.(status, type) ?? collects(status, type, outbound);
    return whole
      ? { status, headers, bytes: Buffer.from(bytes) }
      : { status, headers, stream: new Pieces(bytes, sizes) };
  };
  const facts = factsOf(exchange, outbound);
  const { flow } = outbound.chosen.spec;
  const asked = async () =>
    flow === undefined
      ? outcomeOf(await transmit(outbound), outbound, facts)
      : runFlow(flow, outbound, facts, transmit, noDeadlines);
  const outcome = await asked().catch((error: unknown) => {
    // As the pipeline does it: whatever is no GatewayError is a fault of ours.
    if (!GatewayError.is(error) || error.code === 'internal') throw error;
    return errorOutcome(error, facts);
  });
  return { sent, told: await toldBy(outcome) };
}

const noDeadlines = { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: 0 };
const unexpected: Answer = { status: 500, headers: {}, bytes: Buffer.from('no answer is recorded') };

function authenticator(): Authenticator {
  const body = JSON.stringify({ access_token: accessToken, expires_in: 3600 });
  return new Authenticator(
    async () => ({ status: 200, headers: {}, body }),
    () => nowMs,
  );
}

function factsOf(exchange: Exchange, { unit, facts: { model } }: Outbound): ReplyFacts {
  let names = 0;
  return {
    requestId: exchange.id,
    dialect: exchange.dialect,
    provider: unit.name,
    model: model || undefined,
    path: 'config',
    context: () => ({
      strict: exchange.strict,
      dropped: () => {},
      request: exchange.body,
      newId: (prefix) => {
        names += 1;
        return prefix + names.toString(16).padStart(32, '0');
      },
      nowSeconds: () => nowMs / 1000,
    }),
    nowMs,
    ledger,
    cancellation: exchange.cancellation,
  };
}

async function bytesOf(body: Outbound['body']): Promise<Uint8Array> {
  if (!isStreamed(body)) return typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array());
  return Buffer.concat(await Array.fromAsync(body.open()));
}

/** A stream of bytes has ended with an error, when its head had gone out. */
export class BrokenOff extends Error {}

/** Everything that goes to the client. @throws BrokenOff */
async function toldBy(outcome: Outcome): Promise<Told> {
  const { status, headers, body } = outcome;
  if (body.kind === 'bytes') return { status, headers, text: Buffer.from(body.bytes).toString('utf8'), outcome };
  const chunks: Uint8Array[] = [];
  await new Promise<void>((resolve, reject) => {
    body.stream.pipe({
      data: (chunk) => chunks.push(Buffer.from(chunk as string)) > 0,
      end: resolve,
      error: (cause) => reject(new BrokenOff(cause.message, { cause })),
    });
  });
  return { status, headers, text: Buffer.concat(chunks).toString('utf8'), outcome };
}

/** A body that comes in pieces of the given sizes, used in turn. */
class Pieces implements WireStream {
  readonly #pieces: Buffer[] = [];
  #seen = 0;
  #aborted = false;

  constructor(bytes: Uint8Array, sizes: readonly number[]) {
    const whole = Buffer.from(bytes);
    for (let at = 0, turn = 0; at < whole.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? whole.length;
      this.#pieces.push(whole.subarray(at, at + size));
      at += size;
    }
  }

  async until(seen: (chunk: Uint8Array) => boolean): Promise<void> {
    while (this.#seen < this.#pieces.length) {
      this.#seen += 1;
      if (seen(this.#pieces[this.#seen - 1] ?? Buffer.alloc(0))) return;
    }
  }

  pipe(sink: ReplySink): void {
    for (const piece of this.#pieces) {
      if (this.#aborted) return;
      sink.data(piece);
    }
    if (!this.#aborted) sink.end();
  }

  resume(): void {}

  abort(): void {
    this.#aborted = true;
  }
}
