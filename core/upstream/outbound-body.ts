import {
  askingUsage,
  type CallFacts,
  type CodecContext,
  type Dialect,
  fitToolNames,
  GatewayError,
  type JsonObject,
  type RequestContext,
  type SentAs,
  type ToolNames,
} from 'portcullis/sdk';
import type { Leaf } from '../routing/plan.ts';
import { encodeForm, type Form, type Spooled } from '../uploads/index.ts';
import type { ChosenEndpoint } from './endpoints.ts';
import type { OutboundSources } from './outbound.ts';
import { applyParamRules } from './params.ts';
import { saidOnce } from './said-once.ts';
import { askingBytes, asksUsage } from './stream-usage.ts';
import type { WireBody } from './transport.ts';

/** A body of the client that is no JSON, kept for as long as the request runs. */
export interface Upload {
  readonly spooled: Spooled;
  /** Of multipart/form-data, what it holds: its fields are the request's body. */
  readonly form?: Form | undefined;
}

/** A body and its type; without a type where the client's own headers tell it. */
export interface LeavingBody {
  readonly bytes: WireBody;
  readonly contentType?: string;
}

const json = 'application/json';

/** Whether this host is to be asked for the token counts of its stream. */
export function asksHere(
  { askUsage, refusals, unit, settings: { base } }: OutboundSources,
  { dialect, spec }: ChosenEndpoint,
  body: JsonObject,
  facts: CallFacts,
): boolean {
  if (askUsage === false || dialect === undefined || !asksUsage(dialect, spec, body, facts)) return false;
  return refusals?.has({ provider: unit.name, base, model: facts.model }) !== true;
}

/** What a translation leaves for who reads the reply. */
export interface Translated {
  /** Fields that had no place in the provider's format. */
  readonly dropped: string[];
  /** Undefined: the provider knows tools by the names that the client gave them. */
  toolNames: ToolNames | undefined;
}

/** The body after all changes, in the provider's format; undefined where bytes pass untouched, or a flow writes its own. */
export function finalBody(
  { strict, body }: OutboundSources,
  { endpoint, spec, dialect }: ChosenEndpoint,
  client: Dialect | undefined,
  facts: CallFacts,
  done: Translated,
): JsonObject | undefined {
  const { dropped } = done;
  if (spec.flow !== undefined) {
    const { reads } = spec;
    if (reads !== undefined) dropped.push(...Object.keys(body).filter((field) => !reads.includes(field)));
    return undefined;
  }
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
    dialect === client
      ? withoutForeign(body, dialect, context)
      : translate(body, client, dialect, endpoint === 'messagesCountTokens', context, done);
  const ruled = applyParamRules(translated, spec.params, note);
  return spec.request === undefined ? ruled : spec.request(ruled, facts);
}

/** @param final undefined: bytes pass untouched @param asks with the question for the token counts */
export function leavingBody(
  sources: OutboundSources,
  { spec }: ChosenEndpoint,
  facts: CallFacts,
  final: JsonObject | undefined,
  asks: boolean,
): LeavingBody | undefined {
  const { request, upload } = sources;
  if (request.method === 'GET' || request.method === 'HEAD' || spec.flow !== undefined) return undefined;
  if (final === undefined) return passedBody(sources);
  if (typeof spec.encoding === 'function') {
    const { bytes, contentType } = spec.encoding(final, facts);
    return { bytes, contentType };
  }
  if (upload?.form !== undefined) return formOf(sources, upload.form, upload, final);
  if (spec.encoding === 'form') {
    const { body, contentType } = encodeForm(final, []);
    return { bytes: body, contentType };
  }
  // Routes that take none, such as those that cancel something.
  if ((sources.rawBody?.length ?? 0) === 0 && isEmpty(final)) return undefined;
  return { bytes: bytesOf(sources, final, asks), contentType: json };
}

/** @param told the sources with the model as it is sent @param final undefined: bytes pass untouched */
export function sentAs(
  { request, body, upload }: OutboundSources,
  told: OutboundSources,
  { spec: { encoding } }: ChosenEndpoint,
  final: JsonObject | undefined,
  asks: boolean,
): SentAs | undefined {
  // Of what was uploaded, the log has no more than the fields.
  if (body !== request.body || upload !== undefined) return undefined;
  const left = final ?? told.body;
  if (left !== told.body || encoding !== undefined) return 'another';
  const renamed = told.body !== body;
  if (asks) return renamed ? 'model,usage' : 'usage';
  return renamed ? 'model' : 'same';
}

function isEmpty(body: JsonObject): boolean {
  for (const _ in body) return false;
  return true;
}

function passedBody(sources: OutboundSources): LeavingBody | undefined {
  const { request, rawBody, upload, body } = sources;
  const contentType = request.headers['content-type'];
  const typed = contentType === undefined ? {} : { contentType };
  if (upload !== undefined) return upload.spooled.size === 0 ? undefined : { bytes: upload.spooled, ...typed };
  if (!isEmpty(body) && (body !== request.body || saysMore(sources, body)))
    return { bytes: stringify(body), contentType: json };
  return rawBody === undefined || rawBody.length === 0 ? undefined : { bytes: rawBody, ...typed };
}

/** A form as it came, unless one of its fields is another now. */
function formOf(
  { request, leaf, body: given }: OutboundSources,
  form: Form,
  { spooled }: Upload,
  final: JsonObject,
): LeavingBody {
  if (final === given && given === request.body && !isGuarded(request, leaf))
    return { bytes: spooled, contentType: form.contentType };
  const { body, contentType } = encodeForm(final, form.files);
  return { bytes: body, contentType };
}

function bytesOf(sources: OutboundSources, final: JsonObject, asks: boolean): string | Uint8Array {
  const { request, rawBody, body: given } = sources;
  // The original bytes, when nothing changed them: prompt caches of providers depend on it.
  const asItCame = final === given && given === request.body;
  if (!asItCame || rawBody === undefined || saysMore(sources, final))
    return stringify(asks ? askingUsage(final) : final);
  return asks ? askingBytes(rawBody, final) : rawBody;
}

/**
 * Whether the bytes say more than what was read of them, where that matters: the reply to a request with a cache rule is kept
 * for all that read the same, what guardrails have looked at must be what leaves, and so must the model that is allowed. Of a
 * key that stands twice, providers differ in which of the two they read.
 */
function saysMore({ request, leaf, rawBody, limited }: OutboundSources, read: JsonObject): boolean {
  if (rawBody === undefined || (leaf.cache === undefined && limited !== true && !isGuarded(request, leaf)))
    return false;
  return !saidOnce(rawBody, read);
}

function isGuarded({ defaultGuardrails }: RequestContext, { hooks }: Leaf): boolean {
  return (
    hooks.before.length > 0 || defaultGuardrails?.some(({ input }) => input !== undefined && input.length > 0) === true
  );
}

/** Conversations move between providers: what one of another format has left in them stays with the gateway. */
function withoutForeign(body: JsonObject, dialect: Dialect, context: CodecContext): JsonObject {
  return (dialect.kind === 'generation' ? dialect.ownHistory?.(body, context) : undefined) ?? body;
}

function translate(
  body: JsonObject,
  from: Dialect,
  to: Dialect,
  counting: boolean,
  context: CodecContext,
  done: Translated,
): JsonObject {
  if (from.kind === 'embedding' && to.kind === 'embedding')
    return to.encodeCall(from.decodeCall(body, context), context);
  if (from.kind === 'generation' && to.kind === 'generation') {
    const { call, names } = fitToolNames(from.decodeCall(body, context), to.toolNames);
    done.toolNames = names;
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
