import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { type DialectName, GatewayError, type Outcome } from 'portcullis/sdk';
import { Cohort } from '../cohort.ts';
import { Capture } from '../ledger/capture.ts';
import { authorise } from '../pipeline/authorise.ts';
import type { Exchange } from '../pipeline/exchange.ts';
import { identify, runExchange } from '../pipeline/run.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { type Ending, settle } from '../pipeline/settle.ts';
import { errorReply } from './errors.ts';
import { exchangeOf, givenRequest } from './exchange-of.ts';
import { dialectOf, type InferenceRoute } from './inference.ts';
import { identifiedByQuery, type KeyedRequest, withKeyInHeader } from './query-key.ts';
import { readRequest } from './read-request.ts';
import { respond } from './respond.ts';

/** One state of the gateway, held by a request for as long as it runs. */
export interface Lease {
  readonly runtime: Runtime;
  release(): void;
}

export interface HandlerOptions {
  readonly acquire: () => Lease;
  readonly newId: () => string;
  /** Whether new requests are still taken. */
  readonly accepting: () => boolean;
}

/** Requests whose body has been read, and those that have been answered. */
const asked = new Cohort();
const replied = new Cohort();

/** Serves one inference route: reads, runs the pipeline, sends, settles and logs. */
export function inferenceHandler(route: InferenceRoute, options: HandlerOptions) {
  return async (ctx: Context, params: Readonly<Record<string, string>>): Promise<void> => {
    ctx.respond = false;
    const { runtime, release } = options.acquire();
    const keyed = keyedRequest(ctx, route, runtime);
    const spoken = { endpoint: route.endpoint, dialect: dialectOf(route, keyed.headers) };
    const exchange = exchangeOf(ctx, spoken, params, runtime, options.newId(), keyed);
    watchClient(ctx.res, exchange);
    const found = await outcomeOf(ctx, route, exchange, runtime, { accepting: options.accepting(), keyed });
    const outcome = route.reply === undefined ? found : route.reply(found, exchange.query);
    if (runtime.pipeline.keepsBodies && outcome.body.kind === 'stream') exchange.sent = new Capture();
    exchange.clock.replied();
    respond(ctx.res, exchange, outcome, (ending) =>
      replied.join(() => void finish(runtime, exchange, outcome, ending, release)),
    );
  };
}

async function finish(
  runtime: Runtime,
  exchange: Exchange,
  outcome: Outcome,
  ending: Ending,
  release: Lease['release'],
): Promise<void> {
  try {
    await settle(runtime, exchange, outcome, ending);
  } finally {
    release();
    void exchange.upload?.spooled.release();
    for (const letGo of exchange.releases) void letGo();
  }
}

function keyedRequest(ctx: Context, { keyInQuery }: InferenceRoute, { config }: Runtime): KeyedRequest {
  const given = givenRequest(ctx);
  return keyInQuery === true ? withKeyInHeader(given, config.server.headerVendors[0] ?? 'gw') : given;
}

function watchClient(response: ServerResponse, exchange: Exchange): void {
  response.on('close', () => {
    if (!response.writableFinished) exchange.cancellation.cancel();
  });
  // A reset while a reply is written is told by `close`; without a listener it would end the process.
  response.on('error', () => {});
}

async function outcomeOf(
  ctx: Context,
  route: InferenceRoute,
  exchange: Exchange,
  runtime: Runtime,
  { accepting, keyed }: { readonly accepting: boolean; readonly keyed: KeyedRequest },
): Promise<Outcome> {
  try {
    if (!accepting)
      throw new GatewayError('not_ready', 'The gateway is shutting down.', {
        headers: { 'retry-after': '5', connection: 'close' },
      });
    // Before the body is read: who may not call should cost nothing but a look at the key.
    const identified = keyed.moved
      ? identifiedByQuery(exchange, () => identify(runtime, exchange))
      : identify(runtime, exchange);
    if (identified instanceof Promise) await identified;
    authorise(exchange);
    await readRequest(ctx.req, route, exchange, runtime);
    await asked.turn();
    return await runExchange(runtime, exchange, route.kind);
  } catch (error) {
    return errorReply(error, exchange.id, exchange.dialect, runtime.log);
  }
}

/** An error outside any inference route: an unknown path, a wrong method. */
export function plainError(ctx: Context, error: unknown, dialect: DialectName, runtime: Runtime, id: string): void {
  const reply = errorReply(error, id, dialect, runtime.log);
  ctx.status = reply.status;
  ctx.set(`x-${runtime.config.server.headerVendors[0] ?? 'gw'}-request-id`, id);
  for (const name in reply.headers) ctx.set(name, String(reply.headers[name]));
  ctx.body = reply.body.kind === 'bytes' ? Buffer.from(reply.body.bytes) : null;
}
