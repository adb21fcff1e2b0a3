import Router from '@koa/router';
import type { Context } from 'koa';
import { GatewayError } from 'portcullis/sdk';
import { tokenCheck } from '../directory/token.ts';
import { bySpecificity, type Endpoint } from '../resources/endpoints.ts';
import { type ServeParts, serve } from '../resources/serve.ts';
import type { ControlSettings } from './settings.ts';

/** Serves each route at all of its paths; static segments beat parameters. */
export function routerOf(endpoints: readonly Endpoint[], parts: ServeParts): Router {
  const router = new Router({ sensitive: true, strict: true });
  const rows = endpoints.flatMap((endpoint) => endpoint.paths.map((path) => ({ path, endpoint })));
  for (const { path, endpoint } of rows.toSorted((a, b) => bySpecificity(a.path, b.path))) {
    router[endpoint.method](path, (ctx) => serve(endpoint, ctx as unknown as Context, paramsOf(ctx.params), parts));
  }
  return router;
}

/** Whether a call comes from a data plane that was given the same token. */
export function serviceCheck({ serviceToken }: ControlSettings): ServeParts['demandService'] {
  const isOurs = serviceToken === undefined ? () => false : tokenCheck(serviceToken);
  return (call) => {
    if (isOurs(call.control('service-token'))) return;
    throw new GatewayError(
      'unauthenticated',
      'This is for the gateways of this deployment: SERVICE_TOKEN must be the same on both sides.',
    );
  };
}

function paramsOf(params: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
