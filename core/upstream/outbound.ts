import {
  type CallFacts,
  dialects,
  type Endpoint,
  type FormFile,
  GatewayError,
  type JsonObject,
  modelForms,
  type OlderForm,
  type RequestContext,
  type SentAs,
} from 'portcullis/sdk';
import type { Leaf } from '../routing/plan.ts';
import { type ChosenEndpoint, chooseEndpoint } from './endpoints.ts';
import { forwarded, forwardedAll } from './headers.ts';
import { asksHere, finalBody, leavingBody, sentAs, type Translated, type Upload } from './outbound-body.ts';
import type { ProviderUnit } from './provider-unit.ts';
import { pathOf, type ResolvedSettings } from './settings.ts';
import { hidesUsage } from './stream-usage.ts';
import type { WireBody } from './transport.ts';
import type { UsageRefusals } from './usage-refusals.ts';

/** A request as it will leave the gateway, but for its credential. */
export interface Outbound extends Readonly<Translated> {
  readonly unit: ProviderUnit;
  readonly chosen: ChosenEndpoint;
  readonly settings: ResolvedSettings;
  readonly facts: CallFacts;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: WireBody | undefined;
  readonly sentAs: SentAs | undefined;
  /** The reply needs no translation: its bytes are the client's format. */
  readonly sameReply: boolean;
  /** The older form of it that the client knows, where it is not the one in which providers answer. */
  readonly replyForm: OlderForm | undefined;
  /** What is asked, in the client's format, as the pipeline left it. */
  readonly asked: JsonObject;
  /** The token counts of the stream are for the gateway alone: its client has not asked for them. */
  readonly hidesUsage: boolean;
  /** What it is made from, where the gateway has added the question for the token counts: it may be refused for it. */
  readonly asking: OutboundSources | undefined;
  /** Files that the client has sent in a form. */
  readonly files: readonly FormFile[];
  /** The gateway's own header segments. */
  readonly vendors: readonly string[];
}

export interface OutboundSources {
  readonly request: RequestContext;
  readonly leaf: Leaf;
  readonly unit: ProviderUnit;
  readonly settings: ResolvedSettings;
  /** The body in the client's dialect after the pipeline's changes; the very object of `request` when there were none. */
  readonly body: JsonObject;
  /** The model that it names, without the slug of a saved provider; '' where it names none. */
  readonly model: string;
  /** Its saved provider serves some models alone. */
  readonly limited?: boolean;
  readonly rawBody: Uint8Array | undefined;
  /** A body of the client that is no JSON. */
  readonly upload?: Upload | undefined;
  /** Headers of the trace that the call belongs to. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  readonly strict: boolean;
  readonly vendors: readonly string[];
  /** Whether streams are asked for their token counts where the client has not asked. Default true. */
  readonly askUsage?: boolean;
  /** Hosts that are known to refuse the question. */
  readonly refusals?: UsageRefusals;
}

const noQuery: CallFacts['query'] = Object.freeze({});

const responsesBeta = 'use-responses-api-2026-07-30';

/** @param mayAsk false: without the question for the token counts, which the host has refused */
export function buildOutbound(sources: OutboundSources, mayAsk = true): Outbound {
  const { request, unit, settings } = sources;
  const preferResponses = request.control('beta')?.includes(responsesBeta) === true;
  const client = request.dialect === undefined || request.endpoint === 'proxy' ? undefined : dialects[request.dialect];
  const named = sources.body.model;
  const { model } = sources;
  const chosen = chooseEndpoint(unit, request.endpoint, model, preferResponses, settings.settings);
  if (client !== undefined && client.kind !== 'document' && request.method === 'POST' && model === '') {
    throw new GatewayError('bad_request', 'model is required: a string that names the model.', { param: 'model' });
  }
  const stream = sources.body.stream === true || sources.body.stream === 'true';
  const facts: CallFacts = {
    settings: settings.settings,
    endpoint: chosen.endpoint,
    model,
    stream,
    params: request.params,
    query: factsQuery(request, model),
  };
  const translated: Translated = { dropped: [], toolNames: undefined };
  const told =
    typeof named !== 'string' || named === model ? sources : { ...sources, body: { ...sources.body, model } };
  const final = finalBody(told, chosen, client, facts, translated);
  const asks = mayAsk && final !== undefined && asksHere(told, chosen, final, facts);
  const body = leavingBody(told, chosen, facts, final, asks);
  const path = pathFor(request, chosen, facts, settings.base);
  return {
    unit,
    chosen,
    settings,
    facts,
    method: methodOf(request, chosen),
    url: settings.base + path + queryFor(sources, chosen, facts, path),
    headers: headersFor(sources, chosen, facts, body?.contentType),
    body: body?.bytes,
    sentAs: body === undefined ? undefined : sentAs(sources, told, chosen, final, asks),
    sameReply: client === chosen.dialect && isUnchanged(chosen.spec),
    replyForm:
      client?.kind === 'generation' && client === chosen.dialect && final !== undefined
        ? client.olderForm?.(request.body, final)
        : undefined,
    ...translated,
    asked: told.body,
    hidesUsage: sources.askUsage !== false && stream && hidesUsage(client, told.body),
    asking: asks ? sources : undefined,
    files: sources.upload?.form?.files ?? [],
    vendors: sources.vendors,
  };
}

function isUnchanged({ finishReasons, repair, repairList, wrap }: ChosenEndpoint['spec']): boolean {
  return finishReasons === undefined && repair === undefined && repairList === undefined && wrap === undefined;
}

/** Endpoints that stand for everything below one path: they take any method, as the client's. */
const spanning: ReadonlySet<Endpoint> = new Set(['assistants', 'threads', 'vectorStores', 'conversations', 'proxy']);

function methodOf({ endpoint, method }: RequestContext, { spec }: ChosenEndpoint): string {
  return spanning.has(endpoint) ? method : (spec.method ?? 'POST');
}

/** Below the provider's base, and never above it. */
function pathFor(request: RequestContext, { spec }: ChosenEndpoint, facts: CallFacts, base: string): string {
  if (!spanning.has(request.endpoint)) return pathOf(facts.stream ? (spec.streamPath ?? spec.path) : spec.path, facts);
  const below = request.params[request.endpoint === 'proxy' ? 'path' : 'rest'] ?? '';
  if (/(^|\/|%2f)(\.|%2e){1,2}(\/|%2f|$)/i.test(below) || /\\|%5c/i.test(below)) {
    const text = 'The path may hold no "." or ".." segment and no backslash.';
    throw new GatewayError('bad_request', text, { param: 'path' });
  }
  return request.endpoint === 'proxy' ? `/${unversioned(below, base)}` : pathOf(spec.path, facts);
}

/** SDKs begin their paths with the version of the API, with which most bases end already. */
function unversioned(below: string, base: string): string {
  const version = /\/(v\d[a-z\d]*)$/.exec(base)?.[1];
  return version !== undefined && below.startsWith(`${version}/`) ? below.slice(version.length + 1) : below;
}

/** The model of a session travels in its query, where the pipeline may have put another one. */
function factsQuery({ endpoint, query }: RequestContext, model: string): CallFacts['query'] {
  if (endpoint !== 'realtime') return query === '' ? noQuery : Object.fromEntries(new URLSearchParams(query));
  return Object.fromEntries(sessionQuery(query, model));
}

function sessionQuery(query: string, model: string): URLSearchParams {
  const wanted = new URLSearchParams(query);
  if (model === '') return wanted;
  wanted.set('model', model);
  // Another name of the same.
  wanted.delete('deployment');
  return wanted;
}

function queryFor(
  { request }: OutboundSources,
  { dialect, spec }: ChosenEndpoint,
  facts: CallFacts,
  path: string,
): string {
  // Queries belong to routes whose bytes pass untouched, and to those of documents; elsewhere the provider's own path says all.
  if (request.endpoint === 'realtime' && spec.query !== false) {
    const text = sessionQuery(request.query, facts.model).toString();
    return text === '' ? '' : `${path.includes('?') ? '&' : '?'}${text}`;
  }
  if (request.query === '' || spec.query === false || (dialect !== undefined && dialect.kind !== 'document')) return '';
  if (listsInForm(request)) return '';
  return path.includes('?') ? `&${request.query.slice(1)}` : request.query;
}

/** Lists of models are asked for whole where their client has a form of its own, and cut into its pages here. */
function listsInForm({ endpoint, dialect }: RequestContext): boolean {
  return endpoint === 'listModels' && dialect !== undefined && modelForms[dialect] !== undefined;
}

function headersFor(
  sources: OutboundSources,
  { spec }: ChosenEndpoint,
  facts: CallFacts,
  contentType: string | undefined,
): Record<string, string> {
  const { request, leaf, unit, settings, vendors } = sources;
  const proxied = request.endpoint === 'proxy';
  const headers: Record<string, string> = proxied
    ? forwardedAll(request.headers, vendors)
    : forwarded(leaf.forwardHeaders, request.headers, vendors);
  if (proxied) {
    if (request.headers['accept-encoding'] !== undefined)
      headers['accept-encoding'] = request.headers['accept-encoding'];
  } else {
    headers.accept = spec.accept ?? (spec.reply === 'bytes' ? '*/*' : acceptOf(facts));
    headers['accept-encoding'] = 'identity';
    if (contentType !== undefined) headers['content-type'] = contentType;
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

function acceptOf({ stream }: CallFacts): string {
  return stream ? 'text/event-stream' : 'application/json';
}
