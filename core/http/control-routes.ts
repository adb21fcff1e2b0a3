import type Router from '@koa/router';
import type { Context } from 'koa';
import type { ControlPlane } from '../control/control.ts';
import type { Exchange } from '../pipeline/exchange.ts';
import { identify } from '../pipeline/run.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { docsPage, docsScript } from '../resources/docs-page.ts';
import type { Call } from '../resources/serve.ts';
import { exchangeOf, noInference } from './exchange-of.ts';

interface Options {
  readonly runtime: () => Runtime;
  readonly newId: () => string;
}

/** The routes of the control plane, with its documents. Who calls is found out as for requests to models. */
export function controlRouter(control: ControlPlane, options: Options): Router {
  const callOf = (params: Readonly<Record<string, string>>, exchange: Exchange): Call => ({
    id: exchange.id,
    params,
    control: (name) => exchange.control(name),
    vendor: exchange.vendor,
    principal: undefined,
  });
  const made = (ctx: Context, params: Readonly<Record<string, string>>) =>
    exchangeOf(ctx, noInference, params, options.runtime(), options.newId());
  const router = control.routes({
    anonymous: (ctx, params) => callOf(params, made(ctx, params)),
    identify: async (ctx, params) => {
      const exchange = made(ctx, params);
      await identify(options.runtime(), exchange);
      return { ...callOf(params, exchange), principal: exchange.principal };
    },
  });
  router.get('/openapi.json', (ctx) => {
    ctx.body = control.openApi(`${ctx.protocol}://${ctx.host}`);
  });
  router.get('/docs', (ctx) => {
    ctx.set(
      'content-security-policy',
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'",
    );
    ctx.type = 'html';
    ctx.body = docsPage;
  });
  router.get('/docs/page.js', (ctx) => {
    ctx.type = 'text/javascript';
    ctx.body = docsScript;
  });
  return router;
}
