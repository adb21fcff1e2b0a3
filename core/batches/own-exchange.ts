import { GatewayError, type JsonObject, type Principal, type RequestHeaders } from 'portcullis/sdk';
import { Exchange, type ExchangeOptions } from '../pipeline/exchange.ts';
import { type HeldRuntime, type OwnReply, replyTo } from '../pipeline/own-request.ts';
import { identify } from '../pipeline/run.ts';
import type { Runtime } from '../pipeline/runtime.ts';

/** For whom a batch makes its requests. */
export interface BatchCaller {
  readonly principal: Principal;
  readonly headers: RequestHeaders;
  readonly vendors: readonly string[];
  /** Each request asks anew who calls, by its headers. */
  readonly asksAnew: boolean;
}

export type OwnRequest = Pick<ExchangeOptions, 'id' | 'method' | 'path' | 'endpoint' | 'dialect' | 'params'>;

/** A request of a batch, through everything that it would pass over HTTP. */
export function askAs(
  held: HeldRuntime,
  caller: BatchCaller,
  request: OwnRequest,
  body: JsonObject,
  signal: AbortSignal,
): Promise<OwnReply> {
  const { runtime } = held;
  const exchange = exchangeOf(runtime, caller, request);
  exchange.body = body;
  return replyTo(held, exchange, signal, caller.asksAnew ? () => identify(runtime, exchange) : undefined);
}

function exchangeOf(
  runtime: Runtime,
  { principal, headers, vendors }: Omit<BatchCaller, 'asksAnew'>,
  request: OwnRequest,
): Exchange {
  const exchange = new Exchange({ ...request, query: '', headers, vendors, startedAt: runtime.now() });
  exchange.principal = principal;
  return exchange;
}

/**
 * Whether the headers show who calls. A key that does is looked at for each request, for it may have been revoked since;
 * tokens, which are short-lived, hold for as long as the batch that they have made.
 */
export async function callerOf(
  runtime: Runtime,
  caller: Omit<BatchCaller, 'asksAnew'>,
  request: OwnRequest,
): Promise<BatchCaller> {
  if (caller.principal.kind !== 'key') return { ...caller, asksAnew: false };
  const exchange = exchangeOf(runtime, caller, request);
  try {
    await identify(runtime, exchange);
  } catch (error) {
    if (!GatewayError.is(error) || error.code !== 'unauthenticated') throw error;
    return { ...caller, asksAnew: false };
  }
  return { ...caller, asksAnew: exchange.principal.id === caller.principal.id };
}

/** The whole of a reply. @returns undefined where it is longer */
export async function wholeOf({ body }: OwnReply, mostBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > mostBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
