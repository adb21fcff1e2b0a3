import {
  asString,
  type CallFacts,
  type CodecContext,
  type Dialect,
  dialects,
  GatewayError,
  type JsonObject,
  type RequestContext,
} from 'portcullis/sdk';
import type { Leaf } from '../routing/plan.ts';
import { type ChosenEndpoint, chooseEndpoint } from './endpoints.ts';
import { forwarded, forwardedAll } from './headers.ts';
import { applyParamRules } from './params.ts';
import type { ProviderUnit } from './provider-unit.ts';
import { pathOf, type ResolvedSettings } from './settings.ts';
import { askingBytes, askingUsage, asksUsage, hidesUsage } from './stream-usage.ts';
import type { UsageRefusals } from './usage-refusals.ts';

/** A request as it will leave the gateway, but for its credential. */
export interface Outbound {
  readonly unit: ProviderUnit;
  readonly chosen: ChosenEndpoint;
  readonly settings: ResolvedSettings;
  readonly facts: CallFacts;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
  /** The reply needs no translation: its bytes are the client's format. */
  readonly sameReply: boolean;
  /** Fields that had no place in the provider's format. */
  readonly dropped: readonly string[];
  /** What is asked, in the client's format, as the pipeline left it. */
  readonly asked: JsonObject;
  /** The token counts of the stream are for the gateway alone: its client has not asked for them. */
  readonly hidesUsage: boolean;
  /** What it is made from, where the gateway has added the question for the token counts: it may be refused for it. */
  readonly asking: OutboundSources | undefined;
}

export interface OutboundSources {
  readonly request: RequestContext;
  readonly leaf: Leaf;
  readonly unit: ProviderUnit;
  readonly settings: ResolvedSettings;
  /** The body in the client's dialect after the pipeline's changes; the very object of `request` when there were none. */
  readonly body: JsonObject;
  readonly rawBody: Uint8Array | undefined;
  /** Headers of the trace that the call belongs to. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  readonly strict: boolean;
  readonly vendors: readonly string[];
  /** Whether streams are asked for their token counts where the client has not asked. Default true. */
  readonly askUsage?: boolean;
  /** Hosts that are known to refuse the question. */
  readonly refusals?: UsageRefusals;
}

const responsesBeta = 'use-responses-api-2026-07-30';

/** @param mayAsk false: without the question for the token counts, which the host has refused */
export function buildOutbound(sources: OutboundSources, mayAsk = true): Outbound {
  const { request, unit, settings } = sources;
  const preferResponses = request.control('beta')?.includes(responsesBeta) === true;
  const chosen = chooseEndpoint(unit, request.endpoint, preferResponses);
  const client = request.dialect === undefined ? undefined : dialects[request.dialect];
  const named = sources.body.model;
  const model = withoutSlug(asString(named) ?? '');
  if (client !== undefined && request.method === 'POST' && model === '') {
    throw new GatewayError('bad_request', 'model is required: a string that names the model.', { param: 'model' });
  }
  const stream = sources.body.stream === true;
  const facts: CallFacts = {
    settings: settings.settings,
    endpoint: chosen.endpoint,
    model,
    stream,
    params: request.params,
  };
  const dropped: string[] = [];
  const final = finalBody(
    sources,
    chosen,
    client,
    facts,
    model === named ? sources.body : { ...sources.body, model },
    dropped,
  );
  const asks = mayAsk && final !== undefined && asksHere(sources, chosen, final, facts);
  const body = final === undefined ? passedBytes(sources) : bytesOf(sources, final, asks);
  const { spec } = chosen;
  const path =
    request.endpoint === 'proxy'
      ? proxiedPath(request)
      : pathOf(stream ? (spec.streamPath ?? spec.path) : spec.path, facts);
  return {
    unit,
    chosen,
    settings,
    facts,
    method: request.endpoint === 'proxy' ? request.method : (spec.method ?? 'POST'),
    url: settings.base + path + queryFor(sources, chosen, path),
    headers: headersFor(sources, facts, body !== undefined),
    body,
    sameReply: client === chosen.dialect && spec.finishReasons === undefined && spec.repair === undefined,
    dropped,
    asked: sources.body,
    hidesUsage: sources.askUsage !== false && stream && hidesUsage(client, sources.body),
    asking: asks ? sources : undefined,
  };
}

/** Whether this host is to be asked for the token counts of its stream. */
function asksHere(
  { askUsage, refusals, unit, settings: { base } }: OutboundSources,
  { dialect, spec }: ChosenEndpoint,
  body: JsonObject,
  facts: CallFacts,
): boolean {
  if (askUsage === false || dialect === undefined || !asksUsage(dialect, spec, body, facts)) return false;
  return refusals?.has({ provider: unit.name, base, model: facts.model }) !== true;
}

/** The body after all changes, in the provider's format; undefined where bytes pass untouched. */
function finalBody(
  { strict }: OutboundSources,
  { endpoint, spec, dialect }: ChosenEndpoint,
  client: Dialect | undefined,
  facts: CallFacts,
  body: JsonObject,
  dropped: string[],
): JsonObject | undefined {
  if (dialect === undefined || client === undefined) return undefined;
  const note = (field: string) => {
    if (!dropped.includes(field)) dropped.push(field);
  };
  const { reasoningField } = spec;
  const context: CodecContext = {
    strict,
    dropped: note,
    ...(dialect.name !== 'chat' || reasoningField === undefined ? {} : { reasoningField }),
  };
  const translated =
    dialect === client ? body : translate(body, client, dialect, endpoint === 'messagesCountTokens', context);
  const ruled = applyParamRules(translated, spec.params, note);
  return spec.request === undefined ? ruled : spec.request(ruled, facts);
}

function passedBytes({ rawBody }: OutboundSources): Uint8Array | undefined {
  return rawBody?.length === 0 ? undefined : rawBody;
}

function bytesOf(
  { request, leaf, rawBody, body: given }: OutboundSources,
  final: JsonObject,
  asks: boolean,
): string | Uint8Array {
  // The original bytes, when nothing changed them: prompt caches of providers depend on it.
  const asItCame = final === given && given === request.body && !isGuarded(request, leaf);
  if (!asItCame || rawBody === undefined) return stringify(asks ? askingUsage(final) : final);
  return asks ? askingBytes(rawBody, final) : rawBody;
}

/** What has been looked at must be what leaves: bytes may hold a key twice, and providers differ in which of the two they read. */
function isGuarded({ defaultGuardrails }: RequestContext, { hooks }: Leaf): boolean {
  return (
    hooks.before.length > 0 || defaultGuardrails?.some(({ input }) => input !== undefined && input.length > 0) === true
  );
}

function translate(body: JsonObject, from: Dialect, to: Dialect, counting: boolean, context: CodecContext): JsonObject {
  if (from.kind === 'embedding' && to.kind === 'embedding')
    return to.encodeCall(from.decodeCall(body, context), context);
  if (from.kind === 'generation' && to.kind === 'generation') {
    const call = from.decodeCall(body, context);
    if (!counting) return to.encodeCall(call, context);
    if (to.counting !== undefined) return to.counting.encodeCall(call, context);
  }
  throw new GatewayError(
    'endpoint_unsupported',
    `A request in the ${from.name} format cannot be translated to ${to.name}.`,
  );
}

function stringify(body: JsonObject): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new GatewayError('bad_request', 'The request body is nested too deeply.', { cause });
  }
}

/** The path behind `/v1/proxy`, below the provider's base and never above it. */
function proxiedPath(request: RequestContext): string {
  const path = request.params.path ?? '';
  if (!/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path) && !path.includes('\\')) return `/${path}`;
  throw new GatewayError('bad_request', 'The proxied path may hold no "." or ".." segment and no backslash.', {
    param: 'path',
  });
}

function queryFor({ request }: OutboundSources, { dialect }: ChosenEndpoint, path: string): string {
  // Queries belong to routes whose bytes pass untouched; elsewhere the provider's own path says all.
  if (dialect !== undefined || request.query === '') return '';
  return path.includes('?') ? `&${request.query.slice(1)}` : request.query;
}

function headersFor(sources: OutboundSources, facts: CallFacts, hasBody: boolean): Record<string, string> {
  const { request, leaf, unit, settings, vendors } = sources;
  const proxied = request.endpoint === 'proxy';
  const headers: Record<string, string> = proxied
    ? forwardedAll(request.headers, vendors)
    : forwarded(leaf.forwardHeaders, request.headers, vendors);
  if (proxied) {
    if (request.headers['accept-encoding'] !== undefined)
      headers['accept-encoding'] = request.headers['accept-encoding'];
  } else {
    headers.accept = facts.stream ? 'text/event-stream' : 'application/json';
    headers['accept-encoding'] = 'identity';
    if (hasBody) headers['content-type'] = 'application/json';
  }
  headers['user-agent'] ??= 'portcullis';
  const own = unit.definition.headers?.(facts) ?? {};
  for (const name in own) {
    const value = own[name];
    if (value !== undefined) headers[name] = value;
  }
  if (sources.trace !== undefined) Object.assign(headers, sources.trace);
  if (settings.headers !== undefined) Object.assign(headers, settings.headers);
  return headers;
}

/** `@slug/model` chose the provider; the provider wants to see `model`. */
export function withoutSlug(model: string): string {
  return model.startsWith('@') && model.includes('/') ? model.slice(model.indexOf('/') + 1) : model;
}
