import { Answer, asObject, GatewayError, hideCredentials, type JsonObject, parseJson } from 'portcullis/sdk';
import { dialectOf, type InferenceRoute, inferenceRoutes } from './http/inference.ts';
import { modelMethodOf } from './http/model-methods.ts';
import { secondVersionRoutes } from './http/second-version.ts';
import { outboundOf } from './pipeline/attempt.ts';
import { authorise } from './pipeline/authorise.ts';
import type { PipelineRow } from './pipeline/compile.ts';
import { Exchange } from './pipeline/exchange.ts';
import type { ResolvedPlan } from './pipeline/plans.ts';
import { targetBody } from './pipeline/prompts.ts';
import { identify, resolvePlan, walkFacts } from './pipeline/run.ts';
import type { Runtime } from './pipeline/runtime.ts';
import { passTarget, shapeTarget } from './pipeline/target.ts';
import { enterWorkspace } from './pipeline/workspace.ts';
import type { Leaf, Node } from './routing/plan.ts';
import { walk } from './routing/walk.ts';
import { masked } from './upstream/call-secrets.ts';
import type { Outbound } from './upstream/outbound.ts';
import { isStreamed, type WireBody } from './upstream/transport.ts';

export interface ExplainRequest {
  /** Default POST, or GET where there is no body. */
  readonly method?: string;
  /** Default /v1/chat/completions. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

export interface ExplainedError {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly param?: string;
}

export interface ExplainedTarget {
  readonly path: string;
  readonly name?: string;
  readonly provider?: string;
  /** The provider's endpoint, and its wire format. */
  readonly endpoint?: string;
  readonly dialect?: string;
  readonly method?: string;
  readonly url?: string;
  /** Credentials are masked. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Without its credentials. */
  readonly body?: unknown;
  /** Fields that have no place in the provider's format. */
  readonly dropped?: readonly string[];
  /** What plugins say about it: which guardrails run, and which cannot. */
  readonly notes?: readonly string[];
  /** The answer that a plugin gives in the place of the call. */
  readonly answer?: { readonly status: number; readonly body: unknown };
  readonly error?: ExplainedError;
}

export interface ExplainReport {
  /** Which plugins run, in run order; phases of scope target run for each target that is tried. */
  readonly pipeline: readonly PipelineRow[];
  readonly principal?: string;
  readonly strategy?: unknown;
  /** The target that is tried first. */
  readonly first?: string;
  readonly targets: readonly ExplainedTarget[];
  /** What ends the request before any target. */
  readonly error?: ExplainedError;
}

/** Runs a request through everything but the call itself. Hooks that run before the call do run. */
export async function explainRequest(
  runtime: Runtime,
  request: ExplainRequest,
  newId: () => string,
): Promise<ExplainReport> {
  const pipeline = runtime.pipeline.rows.filter((row) => row.plugins.length > 0);
  try {
    const { exchange, route } = exchangeOf(runtime, request, newId());
    await identify(runtime, exchange);
    const principal = exchange.principal.id;
    authorise(exchange);
    await enterWorkspace(runtime, exchange);
    const plan = await resolvePlan(runtime, exchange, route.kind);
    await runtime.pipeline.admit(exchange);
    const targets: ExplainedTarget[] = [];
    for (const leaf of leavesOf(plan.plan.root)) targets.push(await explainTarget(runtime, exchange, plan, leaf));
    const first = await firstTarget(runtime, exchange, plan);
    return { pipeline, principal, strategy: shapeOf(plan.plan.root), first, targets };
  } catch (error) {
    return { pipeline, targets: [], error: explained(error) };
  }
}

function exchangeOf(
  runtime: Runtime,
  request: ExplainRequest,
  id: string,
): { exchange: Exchange; route: InferenceRoute } {
  const url = urlOf(request.path ?? '/v1/chat/completions');
  const method = (
    request.method ?? (request.body === undefined && request.path !== undefined ? 'GET' : 'POST')
  ).toUpperCase();
  const matched =
    (method === 'POST' ? modelMethodOf(url.pathname) : undefined) ??
    [...inferenceRoutes, ...secondVersionRoutes].flatMap((route) => {
      const params = match(route, method, url.pathname);
      return params === undefined ? [] : [{ route, params }];
    })[0];
  if (matched === undefined) {
    throw new GatewayError('not_found', `There is no inference route ${method} ${url.pathname}.`, { param: 'path' });
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const exchange = new Exchange({
    id,
    method,
    path: url.pathname,
    query: url.search,
    endpoint: matched.route.endpoint,
    dialect: dialectOf(matched.route, headers),
    params: matched.params,
    headers,
    vendors: runtime.config.server.headerVendors,
    startedAt: runtime.now(),
  });
  exchange.dry = true;
  if (request.body !== undefined) {
    const { shape } = matched.route;
    exchange.body = shape === undefined ? request.body : shape(request.body, matched.params);
    exchange.rawBody = Buffer.from(JSON.stringify(request.body));
  }
  return { exchange, route: matched.route };
}

function urlOf(path: string): URL {
  if (/^\/(?!\/)/.test(path) && URL.canParse(path, 'http://gateway')) return new URL(path, 'http://gateway');
  throw new GatewayError('bad_request', 'path must be the path of a route, such as /v1/chat/completions.', {
    param: 'path',
  });
}

function match(route: InferenceRoute, method: string, path: string): Record<string, string> | undefined {
  if (route.method !== 'all' && route.method !== method.toLowerCase()) return undefined;
  const pattern = route.path.replace(/\*(\w+)/g, '(?<$1>.+)').replace(/:(\w+)/g, '(?<$1>[^/]+)');
  const found = new RegExp(`^${pattern}$`).exec(path);
  return found === null
    ? undefined
    : Object.fromEntries(
        Object.entries(found.groups ?? {}).map(([name, value]) => [
          name,
          name === 'rest' ? `/${value}` : name === 'path' ? (route.under ?? '') + value : decoded(value),
        ]),
      );
}

/** As the router does it: what is not encoded properly stands for itself. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

async function explainTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
): Promise<ExplainedTarget> {
  const named = { path: leaf.path, ...(leaf.name === undefined ? {} : { name: leaf.name }) };
  try {
    const body = await targetBody(runtime, exchange, plan, leaf);
    const provider = await runtime.settings.providerOf(leaf, exchange, body);
    const shaped = await shapeTarget(runtime, exchange, plan, leaf, provider, body);
    const target = await passTarget(runtime, shaped);
    const lines = await runtime.pipeline.explain(shaped);
    const notes = lines.length === 0 ? {} : { notes: lines };
    if (target instanceof Answer) {
      const { status, body } = target.outcome;
      return {
        ...named,
        provider: provider.unit.name,
        answer: { status, ...(body.kind === 'bytes' ? { body: shown(body.bytes) } : { body: 'a stream' }) },
        ...notes,
      };
    }
    const outbound = outboundOf(runtime, exchange, plan, leaf, provider, target);
    runtime.upstream.judge(outbound);
    return {
      ...named,
      provider: provider.unit.name,
      endpoint: outbound.chosen.endpoint,
      ...(outbound.chosen.dialect === undefined ? {} : { dialect: outbound.chosen.dialect.name }),
      method: outbound.method,
      url: masked(outbound.url, outbound),
      headers: {
        ...Object.fromEntries(Object.entries(outbound.headers).map(([name, value]) => [name, masked(value, outbound)])),
        ...hidden(outbound.settings.headers),
        ...runtime.upstream.maskedCredential(outbound),
      },
      ...(outbound.body === undefined ? {} : { body: shown(outbound.body, outbound) }),
      ...(outbound.dropped.length === 0 ? {} : { dropped: outbound.dropped }),
      ...notes,
    };
  } catch (error) {
    return { ...named, error: explained(error) };
  }
}

/** Headers of a saved provider may hold a credential too. */
function hidden(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '****']));
}

/** Configs add credentials to bodies, which those who may use them need not know. */
function shown(body: WireBody, outbound?: Outbound): unknown {
  if (isStreamed(body)) return `${body.size} bytes`;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const open = outbound === undefined ? text : masked(text, outbound);
  const object = asObject(parseJson(open));
  return object === undefined ? open : hideCredentials(object).body;
}

async function firstTarget(runtime: Runtime, exchange: Exchange, plan: ResolvedPlan): Promise<string> {
  const choice = await walk(plan.plan, walkFacts(runtime, exchange, plan), async (leaf) => ({
    status: 200,
    path: leaf.path,
  }));
  return choice.path;
}

function shapeOf(node: Node): unknown {
  return node.kind === 'leaf' ? node.path : { mode: node.kind, path: node.path, targets: node.children.map(shapeOf) };
}

function leavesOf(node: Node): readonly Leaf[] {
  return node.kind === 'leaf' ? [node] : node.children.flatMap(leavesOf);
}

function explained(error: unknown): ExplainedError {
  if (!GatewayError.is(error)) throw error;
  const { code, status, message, param } = error;
  return { code, status, message, ...(param === undefined ? {} : { param }) };
}
