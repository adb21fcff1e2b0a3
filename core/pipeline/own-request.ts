import {
  GatewayError,
  type InferenceReply,
  type InferenceRequest,
  type MaybePromise,
  type Outcome,
  type Principal,
  type RequestKind,
} from 'portcullis/sdk';
import { errorReply } from '../http/errors.ts';
import { inferenceRoutes } from '../http/inference.ts';
import { Capture } from '../ledger/capture.ts';
import { authorise } from './authorise.ts';
import { Exchange } from './exchange.ts';
import { ReplyPieces } from './reply-pieces.ts';
import { runExchange } from './run.ts';
import type { Runtime } from './runtime.ts';
import { type Ending, settle } from './settle.ts';

/** One state of the gateway, held until the reply has been read. */
export interface HeldRuntime {
  readonly runtime: Runtime;
  release(): void;
}

/**
 * Runs a request for a caller of the control plane through everything that a request over HTTP passes, and gives its
 * reply, errors included. Leaving the body early counts as a client who leaves, and so does the signal of the request.
 * @throws GatewayError for a request that no client could send
 */
export async function inferAs(
  { runtime, release }: HeldRuntime,
  request: InferenceRequest,
  principal: Principal,
  id: string,
): Promise<InferenceReply> {
  const exchange = heldWhile(release, () => exchangeFor(runtime, request, principal, id));
  return replyTo({ runtime, release }, exchange, request.signal);
}

/** A reply, with what else is known of it. */
export interface OwnReply extends InferenceReply {
  readonly headers: Outcome['headers'];
  /** Milliseconds that it asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Runs an exchange of the gateway's own through everything that a request over HTTP passes.
 * @param identify finds out who calls, where the principal is to be asked for anew
 */
export async function replyTo(
  { runtime, release }: HeldRuntime,
  exchange: Exchange,
  signal: AbortSignal,
  identify?: () => MaybePromise<void>,
): Promise<OwnReply> {
  const { id } = exchange;
  const cancel = () => exchange.cancellation.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const outcome = await outcomeOf(runtime, exchange, identify);
  exchange.clock.replied();
  const done = (ending: Ending) => {
    signal.removeEventListener('abort', cancel);
    settle(runtime, exchange, outcome, ending).finally(release);
  };
  const { status, body, headers, retryAfterMs } = outcome;
  const reply = { id, status, headers, retryAfterMs };
  if (body.kind === 'bytes') {
    done('sent');
    return { ...reply, body: once(body.bytes) };
  }
  if (runtime.pipeline.keepsBodies) exchange.sent = new Capture();
  const pieces = new ReplyPieces(body.stream, {
    cancellation: exchange.cancellation,
    passed: (chunk) => exchange.sent?.add(chunk),
    done,
  });
  return { ...reply, body: pieces };
}

function heldWhile<T>(release: () => void, work: () => T): T {
  try {
    return work();
  } catch (error) {
    release();
    throw error;
  }
}

function exchangeFor(
  runtime: Runtime,
  { path, control, body }: InferenceRequest,
  principal: Principal,
  id: string,
): Exchange {
  const route = routeOf(path);
  const { headerVendors } = runtime.config.server;
  const vendor = headerVendors[0] ?? 'gw';
  const exchange = new Exchange({
    id,
    method: 'POST',
    path,
    query: '',
    endpoint: route.endpoint,
    dialect: route.dialect,
    params: {},
    headers: headersOf(control ?? {}, vendor),
    vendors: headerVendors,
    startedAt: runtime.now(),
  });
  exchange.principal = principal;
  exchange.body = body;
  return exchange;
}

/** @throws GatewayError for a header that could not have come over HTTP (RFC 9110 §5.5, §5.6.2) */
function headersOf(control: Readonly<Record<string, string>>, vendor: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(control)) {
    if (/^[a-z][a-z\d-]*$/.test(name) && !/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) {
      headers[`x-${vendor}-${name}`] = value;
      continue;
    }
    throw new GatewayError('bad_request', `The value for ${name.slice(0, 100)} cannot be sent as a header.`, {
      param: name.slice(0, 100),
    });
  }
  return headers;
}

async function outcomeOf(runtime: Runtime, exchange: Exchange, identify?: () => MaybePromise<void>): Promise<Outcome> {
  try {
    const identified = identify?.();
    if (identified instanceof Promise) await identified;
    authorise(exchange);
    return await runExchange(runtime, exchange, kindOf(exchange));
  } catch (error) {
    return errorReply(error, exchange.id, exchange.dialect ?? 'chat', runtime.log);
  }
}

function kindOf({ path, endpoint }: Exchange): RequestKind | undefined {
  return inferenceRoutes.find((route) => route.path === path && route.endpoint === endpoint)?.kind;
}

function routeOf(path: string) {
  const route = inferenceRoutes.find((candidate) => candidate.path === path && candidate.kind !== undefined);
  if (route !== undefined) return route;
  throw new GatewayError('not_found', `There is no inference route ${path.slice(0, 200)} with a body of its own.`);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
