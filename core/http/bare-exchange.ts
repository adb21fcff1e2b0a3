import type { Context } from 'koa';
import { Exchange } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';

/** A request that is no inference, for the one thing it needs: who calls. */
export function bareExchange(
  ctx: Context,
  { runtime }: { readonly runtime: () => Runtime },
  id: string,
  params: Readonly<Record<string, string>> = {},
): Exchange {
  return new Exchange({
    id,
    method: ctx.method,
    path: ctx.path,
    query: ctx.search,
    endpoint: 'proxy',
    dialect: undefined,
    params,
    headers: ctx.req.headers as Record<string, string>,
    vendors: runtime().config.server.headerVendors,
    startedAt: runtime().now(),
  });
}
