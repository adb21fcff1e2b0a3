import type { Context, Next } from 'koa';
import { identify } from '../pipeline/run.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { exchangeOf, noInference } from './exchange-of.ts';

export interface ProvidersRouteOptions {
  readonly runtime: () => Runtime;
  readonly newId: () => string;
  /** Whether the control plane lists the providers that are saved at the same path. */
  readonly listsSaved: boolean;
}

/**
 * `GET /v1/providers`: what each provider of this gateway can be asked for. Where there is a control plane, its own list of
 * saved providers stands there, and this one is asked for with `?view=capabilities`.
 */
export function providersRoute({ runtime, newId, listsSaved }: ProvidersRouteOptions) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { method, path, query } = ctx;
    if (method !== 'GET' || path !== '/v1/providers') return next();
    if (listsSaved && query.view !== 'capabilities') return next();
    await identify(runtime(), exchangeOf(ctx, noInference, {}, runtime(), newId()));
    ctx.body = await runtime().capabilities();
  };
}
