import { LRUCache } from 'lru-cache';
import {
  type DialectName,
  type Endpoint,
  GatewayError,
  type JsonObject,
  type Outcome,
  type Principal,
  type RequestHeaders,
} from 'portcullis/sdk';
import { errorReply } from '../http/errors.ts';
import { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';
import { settle } from './settle.ts';
import { runTarget } from './target.ts';
import { enterWorkspace } from './workspace.ts';

/** A request that the gateway makes itself, for a caller. */
export interface InnerRequest {
  readonly endpoint: Endpoint;
  readonly dialect: DialectName;
  readonly path: string;
  /** `@slug/model` of a saved provider, or `provider/model`. */
  readonly model: string;
  /** Without the model. */
  readonly body: JsonObject;
}

/** For whom it is made: with whose rights, and under which trace. */
export interface InnerCaller {
  readonly principal: Principal;
  readonly traceId: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Of the request that it is about. */
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal;
}

/** Configs by the model that they ask: the same object for equal names, for plans are compiled once for each. */
const configs = new LRUCache<string, JsonObject>({ max: 1_000 });

/**
 * Runs a request of the gateway's own, with the caller's rights and limits and an entry in the log. No guardrail runs on
 * it, so that a guardrail which asks a model does not ask for ever.
 * @throws GatewayError when it is refused before any provider was asked
 */
export async function runInnerRequest(
  runtime: Runtime,
  request: InnerRequest,
  caller: InnerCaller,
  id: string,
): Promise<Outcome> {
  const exchange = exchangeFor(runtime, request, caller, id);
  const { dialect } = request;
  let settled = false;
  const cancel = () => exchange.cancellation.cancel();
  caller.signal.addEventListener('abort', cancel, { once: true });
  try {
    if (caller.signal.aborted) cancel();
    await enterWorkspace(runtime, exchange);
    exchange.defaultGuardrails = undefined;
    const plan = runtime.plans.planOf({ config: configFor(request.model) });
    await runtime.pipeline.admit(exchange);
    const { root } = plan.plan;
    if (root.kind !== 'leaf') throw new GatewayError('internal', 'The plan of a question has several targets.');
    const outcome = await runTarget(runtime, exchange, plan, root);
    settled = true;
    await settle(runtime, exchange, outcome, 'sent');
    return outcome;
  } catch (error) {
    // What it has reserved must be given back, and what was refused must be in the log.
    if (!settled) await settle(runtime, exchange, errorReply(error, exchange.id, dialect, runtime.log), 'sent');
    throw error;
  } finally {
    caller.signal.removeEventListener('abort', cancel);
  }
}

function exchangeFor(
  runtime: Runtime,
  { endpoint, dialect, path, model, body }: InnerRequest,
  { principal, traceId, metadata, headers }: InnerCaller,
  id: string,
): Exchange {
  const { headerVendors } = runtime.config.server;
  const [vendor = 'gw'] = headerVendors;
  // Whoever wants nothing kept of what it says means what others are asked about it as well.
  const debug = headerVendors.map((name) => headers[`x-${name}-debug`]).find((word) => word !== undefined);
  const exchange = new Exchange({
    id,
    method: 'POST',
    path,
    query: '',
    endpoint,
    dialect,
    params: {},
    headers: { [`x-${vendor}-trace-id`]: traceId, ...(debug === undefined ? {} : { [`x-${vendor}-debug`]: debug }) },
    vendors: headerVendors,
    startedAt: runtime.now(),
  });
  exchange.principal = principal;
  exchange.metadata = metadata ?? {};
  exchange.body = { model: model.slice(model.indexOf('/') + 1), ...body };
  return exchange;
}

/** @throws GatewayError `bad_request` for a model that names no provider */
function configFor(model: string): JsonObject {
  const known = configs.get(model);
  if (known !== undefined) return known;
  const slash = model.indexOf('/');
  if (slash < 1 || slash === model.length - 1) {
    const text = 'model must be `@slug/model` of a saved provider, or `provider/model`.';
    throw new GatewayError('bad_request', text, { param: 'model' });
  }
  const config = { provider: model.slice(0, slash) };
  configs.set(model, config);
  return config;
}
