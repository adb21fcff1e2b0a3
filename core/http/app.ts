import cors from '@koa/cors';
import Router, { type RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { Context, Next } from 'koa';
import { asString, GatewayError } from 'portcullis/sdk';
import type { ControlPlane } from '../control/control.ts';
import { identify } from '../pipeline/run.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { realtimePath, upgradeRequired } from '../realtime/handshake.ts';
import { errorEnvelope } from '../resources/envelope.ts';
import { type MetricsRouteOptions, metricsRoute } from '../telemetry/metrics-route.ts';
import { controlRouter } from './control-routes.ts';
import { isControlPath } from './control-words.ts';
import { exchangeOf, noInference } from './exchange-of.ts';
import { type HandlerOptions, inferenceHandler, plainError } from './handle.ts';
import { dialectOfPath, type InferenceRoute, inferenceRoutes, otherRoute } from './inference.ts';
import { KoaApp } from './koa-app.ts';
import { refuseForeignPages } from './local-callers.ts';
import { asksModelMethod, modelMethodOf, modelMethodPath, modelMethodRoutes } from './model-methods.ts';
import { providersRoute } from './providers-route.ts';
import { secondVersionRoutes } from './second-version.ts';

export interface AppOptions extends HandlerOptions {
  /** The state that serves now, for what is no inference request. */
  readonly runtime: () => Runtime;
  /** The control plane of this process; absent: it has none. */
  readonly control?: ControlPlane | undefined;
  /** Whether requests to models are served; a control plane may stand alone. */
  readonly inference: boolean;
  /** Who may read `/metrics`, and what stands there. */
  readonly metrics: MetricsRouteOptions;
}

/** The HTTP surface: inference routes, health, the pipeline's listing, and errors for everything else. */
export function createApp(options: AppOptions): Koa {
  const app = new KoaApp();
  // Every error of a request is answered where it is caught; what still gets here is a broken connection.
  app.silent = true;
  const hops = options.runtime().config.server.trustedProxyHops ?? 0;
  app.proxy = hops > 0;
  app.maxIpsCount = hops;
  app.use(edge(options));
  const router = new Router({ sensitive: true, strict: true });
  health(router, options);
  router.get('/metrics', metricsRoute(options.metrics));
  router.get('/v1/pipeline', async (ctx) => {
    await identify(options.runtime(), exchangeOf(ctx, noInference, {}, options.runtime(), options.newId()));
    ctx.body = { phases: options.runtime().pipeline.rows };
  });
  if (options.inference) {
    for (const route of [...inferenceRoutes, ...secondVersionRoutes]) addRoute(router, route, options);
    router.get(realtimePath, () => {
      throw upgradeRequired();
    });
    addModelMethods(router, options);
  }
  const control = options.control === undefined ? undefined : controlRouter(options.control, options);
  if (options.inference) app.use(fixedPaths(options));
  app.use(router.routes());
  app.use(providersRoute({ ...options, listsSaved: control !== undefined }));
  // Behind the routes to models, so that they do not pay for its many paths.
  if (control !== undefined) app.use(control.routes());
  if (options.inference) app.use(otherPaths(options, router, control));
  app.use((ctx) => {
    const known = methodsOf(router, ctx.path);
    const error = noRoute(ctx, [...known, ...(control === undefined ? [] : methodsOf(control, ctx.path))]);
    // What is no route to models is taken for one of the control plane, where errors have a form of their own.
    if (control === undefined || known.length > 0) throw error;
    const id = options.newId();
    ctx.status = error.status;
    ctx.body = errorEnvelope(error);
    ctx.set({ ...error.headers, [`x-${options.runtime().config.server.headerVendors[0] ?? 'gw'}-request-id`]: id });
  });
  return app;
}

/** Serves the routes whose path is fixed without a walk through all the others. */
function fixedPaths(options: AppOptions) {
  const fixed = [...inferenceRoutes, ...secondVersionRoutes].filter(({ path }) => !/[:*]/.test(path));
  const byPath = new Map<string, Map<string, ReturnType<typeof inferenceHandler>>>();
  for (const route of fixed) {
    const there = byPath.get(route.path) ?? new Map();
    byPath.set(route.path, there.set(route.method.toUpperCase(), inferenceHandler(route, options)));
  }
  return (ctx: Context, next: Next): Promise<void> => {
    const serve = byPath.get(ctx.path)?.get(ctx.method);
    return serve === undefined ? next() : serve(ctx, noParams);
  };
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/**
 * What no route knows goes to the provider that the request names, as the proxy route would take it there: stored chats are
 * listed by a GET of the path that chats are posted to.
 */
function otherPaths(options: AppOptions, router: Router, control: Router | undefined) {
  const serve = inferenceHandler(otherRoute, options);
  const serveMessages = inferenceHandler({ ...otherRoute, dialect: 'messages' }, options);
  return async (ctx: Context, next: Next): Promise<void> => {
    const { path, req, method } = ctx;
    const known =
      methodsOf(router, path).includes(method) || (control !== undefined && methodsOf(control, path).length > 0);
    const own = !path.startsWith('/v1/') || isControlPath(path);
    if (known || own || !namesProvider(req.headers, options.runtime().config.server)) return next();
    // Whoever calls something there reads no other errors.
    const handler = dialectOfPath(path) === 'messages' ? serveMessages : serve;
    return handler(ctx, { path: path.slice('/v1/'.length) });
  };
}

const signals = ['provider', 'virtual-key', 'config'];

function namesProvider(
  headers: Context['req']['headers'],
  { headerVendors }: { headerVendors: readonly string[] },
): boolean {
  return headerVendors.some((vendor) => signals.some((name) => headers[`x-${vendor}-${name}`] !== undefined));
}

function noRoute(ctx: Context, methods: readonly string[]): GatewayError {
  const path = ctx.path.slice(0, 200);
  if (methods.length === 0 || asksModelMethod(ctx.method, ctx.path))
    return new GatewayError('not_found', `There is no route ${ctx.method} ${path}.`);
  const allow = [...new Set(methods)].join(', ');
  return new GatewayError('method_not_allowed', `${path} does not take ${ctx.method}; it takes ${allow}.`, {
    headers: { allow },
  });
}

function addRoute(router: Router, route: InferenceRoute, options: AppOptions): void {
  const serve = inferenceHandler(route, options);
  const below = wildcardOf(route);
  router[route.method](route.path, (ctx: RouterContext, next) => {
    // A name may hold colons; what ends with one and the name of a method is no model.
    if (route.endpoint === 'retrieveModel' && modelMethodPath.test(ctx.path)) return next();
    return serve(ctx, below === undefined ? paramsOf(ctx) : below(ctx.path));
  });
}

/** One layer for all of them, as each costs every request a look. */
function addModelMethods(router: Router, options: AppOptions): void {
  const serves = new Map(modelMethodRoutes.map((route) => [route, inferenceHandler(route, options)]));
  router.post(modelMethodPath, (ctx: RouterContext, next) => {
    const found = modelMethodOf(ctx.path);
    const serve = found === undefined ? undefined : serves.get(found.route);
    return found === undefined || serve === undefined ? next() : serve(ctx, found.params);
  });
}

/** What stands for a whole path is handed on as the client has encoded it; the name of a model alone is decoded. */
function wildcardOf({ path, under = '' }: InferenceRoute): ((requested: string) => Record<string, string>) | undefined {
  const [before, name] = path.split('*');
  if (before === undefined || name === undefined) return undefined;
  if (name === 'rest') return (requested) => ({ rest: requested.slice(before.length - 1) });
  if (name === 'path') return (requested) => ({ path: under + requested.slice(before.length) });
  return (requested) => ({ [name]: decoded(requested.slice(before.length)) });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function paramsOf(ctx: RouterContext): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name in ctx.params) {
    const value = asString(ctx.params[name]);
    if (value !== undefined) params[name] = value;
  }
  return params;
}

function health(router: Router, { runtime, accepting }: AppOptions): void {
  router.get('/', (ctx) => {
    ctx.body = 'Portcullis is running. See /v1/pipeline.\n';
  });
  router.get(['/v1/health', '/health'], (ctx) => {
    ctx.body = { status: accepting() ? 'ok' : 'draining', open: runtime().open };
    if (!accepting()) ctx.status = 503;
  });
  router.get('/v1/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/v1/health/ready', (ctx) => {
    ctx.status = accepting() ? 200 : 503;
    ctx.body = { status: accepting() ? 'ok' : 'draining' };
  });
}

/** Answers what no route has answered for, and lets browsers of other origins in where the operator says so. */
function edge(options: AppOptions) {
  const { runtime, newId } = options;
  const allowOrigins = cors({
    origin: (ctx) => {
      const { origins } = runtime().config.server.cors;
      if (origins.includes('*')) return '*';
      const origin = ctx.get('origin');
      return origins.includes(origin) ? origin : '';
    },
    exposeHeaders: '*',
    allowMethods: 'GET,POST,PUT,PATCH,DELETE',
    maxAge: 600,
  });
  const passed = (ctx: Context, next: Next): Promise<void> => {
    const { open, config } = runtime();
    if (open) refuseForeignPages(ctx.req.headers, config.server.cors);
    // Without an Origin header the request is no browser's, and the headers would only cost time.
    return ctx.req.headers.origin !== undefined && config.server.cors.enabled ? allowOrigins(ctx, next) : next();
  };
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await passed(ctx, next);
    } catch (error) {
      plainError(ctx, error, dialectOfPath(ctx.path), runtime(), newId());
    }
  };
}

function methodsOf(router: Router, path: string): readonly string[] {
  if (modelMethodPath.test(path)) return ['POST'];
  const methods = router.stack.filter((layer) => layer.match(path)).flatMap((layer) => layer.methods);
  return [...new Set(methods)];
}
