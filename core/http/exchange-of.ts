import type { Context } from 'koa';
import { Exchange, type ExchangeOptions } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import type { KeyedRequest } from './query-key.ts';

/** What the pipeline sees of a request. */
export function exchangeOf(
  ctx: Context,
  { endpoint, dialect }: Pick<ExchangeOptions, 'endpoint'> & { readonly dialect?: ExchangeOptions['dialect'] },
  params: Readonly<Record<string, string>>,
  runtime: Runtime,
  id: string,
  { query, headers }: KeyedRequest = givenRequest(ctx),
): Exchange {
  return new Exchange({
    id,
    method: ctx.method,
    path: ctx.path,
    query,
    endpoint,
    dialect,
    params,
    headers,
    vendors: runtime.config.server.headerVendors,
    startedAt: runtime.now(),
  });
}

export function givenRequest(ctx: Context): KeyedRequest {
  // Node joins repeated headers; the only one it keeps as a list, set-cookie, is no request header.
  return { query: ctx.search, headers: ctx.req.headers as KeyedRequest['headers'], moved: false };
}

/** For a request that is no inference, and needs to know but one thing: who calls. */
export const noInference = { endpoint: 'proxy' } as const;
