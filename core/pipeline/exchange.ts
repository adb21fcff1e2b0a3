import {
  type Attempt,
  asObject,
  asString,
  type DefaultGuardrails,
  type DialectName,
  type Endpoint,
  GatewayError,
  type GivenUpReply,
  type JsonObject,
  type OrganisationEntry,
  type Principal,
  parseJson,
  type RequestContext,
  type RequestHeaders,
  type RequestNote,
  type SavedConfigName,
  type SavedPromptName,
  type SentAs,
  type TargetContext,
  type WorkspaceEntry,
} from 'portcullis/sdk';
import type { Capture } from '../ledger/capture.ts';
import { StageClock } from '../telemetry/stage-clock.ts';
import {
  type CallersTrace,
  givenSpanId,
  newSpanId,
  readTraceContext,
  traceparentOf,
} from '../telemetry/trace-context.ts';
import type { Called } from '../upstream/call-secrets.ts';
import { Cancellation } from '../upstream/cancellation.ts';
import type { Upload } from '../upstream/outbound-body.ts';
import type { NotedReply } from './given-up.ts';
import { headerText } from './header-text.ts';

/** Control headers whose documented name has an older spelling that clients still send. */
const spellings: Readonly<Record<string, string>> = { 'strict-compliance': 'strict-open-ai-compliance' };

/** The one header of the contract without `x-`: it selects the version of a provider's interface. */
const interfaceVersion = 'interface-version';

/** The control header's name without its vendor; undefined: it is none of that vendor's. */
function controlName(header: string, vendor: string): string | undefined {
  if (header.startsWith('x-') && header.startsWith(vendor, 2) && header[2 + vendor.length] === '-') {
    const name = header.slice(3 + vendor.length);
    return name === interfaceVersion ? undefined : name;
  }
  return header.startsWith(vendor) && header === `${vendor}-beta` ? interfaceVersion : undefined;
}

/** Control headers whose values may hold any letters. Ids go back to the caller as they came. */
const writtenByPeople: ReadonlySet<string> = new Set(['config', 'metadata', 'span-name']);

/** What the control headers of a request say, by their names; of several vendors and spellings the first counts. */
function controlsIn(headers: RequestHeaders, vendors: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const vendor of vendors) {
    for (const header in headers) {
      const name = controlName(header, vendor);
      const value = headers[header];
      if (name === undefined || value === undefined || found.has(name)) continue;
      found.set(name, writtenByPeople.has(name) ? headerText(value) : value);
    }
  }
  for (const name in spellings) {
    const older = found.get(spellings[name] ?? '');
    if (older !== undefined && !found.has(name)) found.set(name, older);
  }
  return found;
}

/** Stands in the log for requests that were refused before anyone asked who calls. */
const unidentified: Principal = Object.freeze({ id: 'unidentified', kind: 'anonymous' });

export interface ExchangeOptions {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly endpoint: Endpoint;
  readonly dialect: DialectName | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: RequestHeaders;
  readonly vendors: readonly string[];
  readonly startedAt: number;
}

/** One client request on its way through the pipeline: what plugins see as `RequestContext`, and what only the core may set. */
export class Exchange implements RequestContext {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Of a list that the gateway begins, what is left for its provider. */
  query: string;
  /** Of a saved prompt, what it turns out to be. */
  endpoint: Endpoint;
  dialect: DialectName | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: RequestHeaders;
  readonly startedAt: number;
  readonly traceId: string;
  readonly strict: boolean;
  readonly cancellation = new Cancellation();
  readonly clock = new StageClock();
  /** The span of this request, 16 hex digits, and the caller's. */
  readonly spanId: string;
  /** What the caller calls the span, where that is no id of the standard. */
  readonly spanLabel: string | undefined;
  readonly parentSpanId: string | undefined;
  readonly spanName: string | undefined;
  /** Calls of providers, in their order. */
  readonly attempts: Attempt[] = [];
  /** The last reply that was counted, unless it was given up. */
  replied: NotedReply | undefined;
  givenUp: readonly GivenUpReply[] | undefined;
  /** What has left of a stream; undefined: no log wants it. */
  sent: Capture | undefined;
  body: JsonObject = {};
  rawBody: Uint8Array | undefined;
  /** A body that is no JSON. */
  upload: Upload | undefined;
  /** Let go of what was kept for it beside that, once it is over. */
  readonly releases: (() => Promise<void>)[] = [];
  /** Sub-protocols that the client of a WebSocket offers its provider. */
  socketProtocols: readonly string[] = [];
  principal: Principal = unidentified;
  metadata: Readonly<Record<string, string>> = {};
  /** Of callers who belong to an organisation. */
  organisation: OrganisationEntry | undefined;
  workspace: WorkspaceEntry | undefined;
  /** The request may name only what is saved. */
  savedOnly = false;
  /** Somebody asks what would happen. */
  dry = false;
  savedConfig: SavedConfigName | undefined;
  /** The prompt that the path names, and the one that is run: a target may name another. */
  addressedPrompt: SavedPromptName | undefined;
  prompt: SavedPromptName | undefined;
  defaultGuardrails: readonly DefaultGuardrails[] | undefined;
  /** The plugins' own state, by the keys of their slots. */
  readonly slots: { [key: symbol]: unknown } = {};
  /** What plugins have added to the record of the request. */
  note: RequestNote | undefined;
  /** Of the target that was tried last. */
  providerSlug: string | undefined;
  /** How the body that the last target was sent comes of the client's; undefined: changed by the pipeline, or nothing was sent. */
  sentAs: SentAs | undefined;
  /** The body of the last target, as its provider or what answers in its place got it. */
  askedBody: JsonObject | undefined;
  /** The target that was called last, as its provider got it. */
  called: TargetContext | undefined;
  /** As whom its provider was called. */
  calledAs: Called | undefined;
  /** The model that its provider was asked for. */
  calledModel: string | undefined;
  readonly vendors: readonly string[];
  readonly callersTrace: CallersTrace | undefined;
  readonly #controls: ReadonlyMap<string, string>;

  constructor(options: ExchangeOptions) {
    this.id = options.id;
    this.method = options.method;
    this.path = options.path;
    this.query = options.query;
    this.endpoint = options.endpoint;
    this.dialect = options.dialect;
    this.params = options.params;
    this.headers = options.headers;
    this.startedAt = options.startedAt;
    this.vendors = options.vendors;
    this.#controls = controlsIn(options.headers, options.vendors);
    const caller = readTraceContext(options.headers);
    this.traceId = this.control('trace-id')?.slice(0, 128) || caller?.traceId || options.id;
    this.callersTrace = caller;
    const called = this.control('span-id')?.slice(0, 64) || undefined;
    const spanId = givenSpanId(called);
    this.spanId = spanId ?? newSpanId();
    this.spanLabel = spanId === undefined ? called : undefined;
    this.parentSpanId = this.control('parent-span-id')?.slice(0, 64) || caller?.parentSpanId;
    this.spanName = this.control('span-name')?.slice(0, 128);
    this.strict = this.control('strict-compliance') !== 'false';
  }

  /** Headers that carry the caller's trace on to providers; undefined: the caller has sent none. */
  get traceHeaders(): Readonly<Record<string, string>> | undefined {
    if (this.callersTrace === undefined) return undefined;
    const { traceId, sampled, state } = this.callersTrace;
    const traceparent = traceparentOf({ traceId, spanId: this.spanId, sampled });
    return state === undefined ? { traceparent } : { traceparent, tracestate: state };
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** The vendor segment that the caller uses; replies use the same. */
  get vendor(): string {
    const [canonical = 'gw', ...aliases] = this.vendors;
    if (aliases.length === 0) return canonical;
    for (const name in this.headers) {
      const vendor = this.vendors.find((candidate) => name.startsWith(`x-${candidate}-`));
      if (vendor !== undefined) return vendor;
    }
    return canonical;
  }

  control(name: string): string | undefined {
    return this.#controls.get(name);
  }
}

const maxMetadataValue = 128;
/** Each is a row of its own where logs are looked for by it. */
const mostMetadata = 128;

type Metadata = Readonly<Record<string, string>>;

const noMetadata: Metadata = Object.freeze({});

/**
 * The request's metadata: the key's defaults, the header's own, and `_user` from the body. For callers who belong to an
 * organisation what is set above them wins: organisation, workspace, key, request. For those of the operator's file the
 * request wins.
 */
export function metadataOf(exchange: Exchange): Metadata {
  const header = exchange.control('metadata');
  const user = asString(exchange.body.user);
  const { principal, workspace, organisation } = exchange;
  const defaults = principal.metadata;
  const above =
    workspace === undefined ? undefined : merged(workspace.defaults.metadata, organisation?.defaults.metadata);
  if (header === undefined && user === undefined) return merged(defaults, above) ?? noMetadata;
  const given = header === undefined ? {} : parsedMetadata(header);
  const own = { ...(user === undefined ? {} : { _user: user.slice(0, maxMetadataValue) }), ...given };
  return workspace === undefined ? { ...defaults, ...own } : { ...own, ...defaults, ...above };
}

/** The second wins; a copy only where both say something. */
function merged(first: Metadata | undefined, second: Metadata | undefined): Metadata | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { ...first, ...second };
}

function parsedMetadata(header: string): Record<string, string> {
  const object = asObject(parseJson(header));
  if (object === undefined) {
    throw new GatewayError('bad_request', 'The metadata header must be a JSON object of strings.', {
      param: 'x-gw-metadata',
    });
  }
  const entries = Object.entries(object);
  if (entries.length > mostMetadata) {
    const text = `The metadata header must have at most ${mostMetadata} members; it has ${entries.length}.`;
    throw new GatewayError('bad_request', text, { param: 'x-gw-metadata' });
  }
  for (const [key, value] of entries) {
    if (typeof value === 'string' && value.length <= maxMetadataValue) continue;
    const text = `Each metadata value must be a string of at most ${maxMetadataValue} characters; ${JSON.stringify(key.slice(0, 64))} is not.`;
    throw new GatewayError('bad_request', text, { param: 'x-gw-metadata' });
  }
  return object as Record<string, string>;
}
