import {
  GatewayError,
  type InferenceReply,
  type InferenceRequest,
  type Outcome,
  type Principal,
  type ReplyStream,
} from 'portcullis/sdk';
import { errorReply } from '../http/errors.ts';
import { inferenceRoutes } from '../http/inference.ts';
import { Capture } from '../ledger/capture.ts';
import { authorise } from './authorise.ts';
import { Exchange } from './exchange.ts';
import { runExchange } from './run.ts';
import type { Runtime } from './runtime.ts';
import { type Ending, settle } from './settle.ts';

/** Pieces of a stream that wait for a reader before its source is asked to pause. */
const mostWaiting = 16;

/** One state of the gateway, held until the reply has been read. */
export interface HeldRuntime {
  readonly runtime: Runtime;
  release(): void;
}

/**
 * Runs a request for a caller of the control plane through everything that a request over HTTP passes, and gives its
 * reply, errors included. Leaving the body early counts as a client who leaves.
 */
export async function inferAs(
  { runtime, release }: HeldRuntime,
  request: InferenceRequest,
  principal: Principal,
  id: string,
): Promise<InferenceReply> {
  const exchange = exchangeFor(runtime, request, principal, id);
  const cancel = () => exchange.cancellation.cancel();
  request.signal.addEventListener('abort', cancel, { once: true });
  const outcome = await outcomeOf(runtime, exchange);
  const done = (ending: Ending) => {
    request.signal.removeEventListener('abort', cancel);
    void settle(runtime, exchange, outcome, ending).finally(release);
  };
  const { status, body } = outcome;
  if (body.kind === 'bytes') {
    done('sent');
    return { id, status, body: once(body.bytes) };
  }
  if (runtime.pipeline.keepsBodies) exchange.sent = new Capture();
  return { id, status, body: piecesOf(body.stream, exchange, done) };
}

function exchangeFor(
  runtime: Runtime,
  { path, control, body, signal }: InferenceRequest,
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
    headers: Object.fromEntries(Object.entries(control ?? {}).map(([name, value]) => [`x-${vendor}-${name}`, value])),
    vendors: headerVendors,
    startedAt: runtime.now(),
  });
  exchange.principal = principal;
  exchange.body = body;
  if (signal.aborted) exchange.cancellation.cancel();
  return exchange;
}

async function outcomeOf(runtime: Runtime, exchange: Exchange): Promise<Outcome> {
  try {
    authorise(exchange);
    return await runExchange(runtime, exchange, routeOf(exchange.path).kind);
  } catch (error) {
    return errorReply(error, exchange.id, exchange.dialect ?? 'chat', runtime.log);
  }
}

function routeOf(path: string) {
  const route = inferenceRoutes.find((candidate) => candidate.path === path && candidate.kind !== undefined);
  if (route !== undefined) return route;
  throw new GatewayError('not_found', `There is no inference route ${path.slice(0, 200)} with a body of its own.`);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A stream as its reader asks for it. */
async function* piecesOf(
  stream: ReplyStream,
  exchange: Exchange,
  done: (ending: Ending) => void,
): AsyncGenerator<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let ended: Error | 'end' | undefined;
  let wake = () => {};
  const arrived = (): void => wake();
  const forget = exchange.cancellation.onCancel(() => {
    ended ??= new GatewayError('client_closed', 'The caller left before the reply was complete.');
    arrived();
  });
  stream.pipe({
    data: (chunk) => {
      exchange.sent?.add(chunk);
      waiting.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      arrived();
      return waiting.length < mostWaiting;
    },
    end: () => {
      ended ??= 'end';
      arrived();
    },
    error: (error) => {
      ended ??= error;
      arrived();
    },
  });
  try {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        if (waiting.length === 0 && ended === undefined) stream.resume();
        yield chunk;
      } else if (ended !== undefined) {
        if (ended instanceof Error) throw ended;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    forget();
    if (ended !== 'end') stream.abort();
    done(ended === 'end' ? 'sent' : 'left');
  }
}
