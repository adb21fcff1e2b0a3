import type { DialectName } from '../dialects/dialect.ts';
import type { Usage } from '../dialects/neutral.ts';
import type { MeterState } from '../dialects/usage-meter.ts';
import type { JsonObject } from '../json.ts';
import type { Access } from './access.ts';
import type { DefaultGuardrails, LimitSpec } from './directory.ts';
import type { Endpoint } from './endpoint.ts';
import type { TargetHooks } from './hooks.ts';
import type { Attempt, CacheStatus, SentAs, Timings } from './logs.ts';
import type { RequestNote } from './note.ts';
import type { MaybePromise } from './plugin.ts';
import type { Cost } from './price.ts';
import type { SavedConfigName, SavedPromptName } from './saved-names.ts';

/** Who calls. */
export interface Principal {
  /** Stable id; safe to log. */
  readonly id: string;
  readonly kind: 'anonymous' | 'key' | 'token' | 'session';
  readonly name?: string;
  /** Defaults for the request's metadata; with `access` they win over what the request says. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Name of the config that serves when the request brings none. */
  readonly config?: string;
  /** Guardrails that run on each of its requests. */
  readonly guardrails?: DefaultGuardrails;
  /** Whether a request may bring another config than `config`. Default true. */
  readonly allowConfigOverride?: boolean;
  /** Absent: a caller of the operator's file, or anyone on this machine, who belongs to no organisation. */
  readonly access?: Access;
  /** Limits that a credential carries in itself, for limit plugins to enforce; counted under `key`, which is of that credential alone. */
  readonly limits?: {
    readonly key: string;
    readonly usageLimits?: LimitSpec;
    readonly rateLimits?: readonly LimitSpec[];
  };
  /** The header that held the gateway's key, lower case: never taken for a provider's credential. */
  readonly consumed?: string;
}

/** Request headers, lower-case names; several values of one name are joined by `, `. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** A typed private place for one plugin's state in one request; made by `host.slot()`. */
export interface Slot<T> {
  get(request: RequestContext): T | undefined;
  set(request: RequestContext, value: T): void;
}

/** One client request, as every phase sees it. Nothing in it may be changed: hooks return what they want changed. */
export interface RequestContext {
  /** Unique; the reply's `x-gw-request-id`. */
  readonly id: string;
  /** From the client, or made here. At most 128 characters. */
  readonly traceId: string;
  readonly method: string;
  /** Path without query, such as `/v1/chat/completions`. */
  readonly path: string;
  /** Query with its `?`, or ''. */
  readonly query: string;
  readonly endpoint: Endpoint;
  /** The client's wire format; undefined where bytes pass untouched. */
  readonly dialect: DialectName | undefined;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: RequestHeaders;
  /** A header of the gateway by its name behind the vendor segment: `control('config')` reads `x-gw-config` and its aliases. */
  control(name: string): string | undefined;
  /** The parsed body; `{}` where it is not JSON. */
  readonly body: JsonObject;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly principal: Principal;
  readonly metadata: Readonly<Record<string, string>>;
  /** Default guardrails of the organisation, the workspace and the key, in that order; from the phase resolve on. */
  readonly defaultGuardrails?: readonly DefaultGuardrails[] | undefined;
  /** The saved config that serves, from the phase admit on; undefined: an inline one, or none. */
  readonly savedConfig?: SavedConfigName | undefined;
  /** The saved prompt that is run, or was last; undefined: none. */
  readonly prompt?: SavedPromptName | undefined;
  /** Whether the client wants only what the format's documents name; the config or a header may switch it off. */
  readonly strict: boolean;
  /** Replies that were counted and did not serve: another try followed, or follows now. Undefined: none. */
  readonly givenUp?: readonly GivenUpReply[] | undefined;
  /** Aborts when the client leaves or the gateway gives up. */
  readonly signal: AbortSignal;
  /** True: somebody asks what would happen. Nothing may be counted, stored or sent. */
  readonly dry?: boolean;
}

/** What identify sees: there is no principal yet, and the body has not been read. */
export type UnidentifiedRequest = Omit<
  RequestContext,
  'principal' | 'metadata' | 'savedConfig' | 'defaultGuardrails' | 'strict' | 'body'
>;

/** The retry rule of a target. */
export interface RetryRule {
  /** 0 to 5, beside the first try. */
  readonly attempts: number;
  readonly onStatusCodes: readonly number[];
  readonly useRetryAfter: boolean;
}

/** One leaf of the plan, on its way to a provider. */
export interface TargetContext {
  readonly request: RequestContext;
  /** JSON path of the target in its config: `config.targets[1]`. */
  readonly path: string;
  /** The config's name of the target. */
  readonly name: string | undefined;
  /** Name of the provider unit, without its major. */
  readonly provider: string;
  /** Slug of the saved provider (virtual key) whose credentials are used; undefined: none is saved. */
  readonly providerSlug?: string | undefined;
  /** The body in the client's dialect as it stands at this phase. */
  readonly body: JsonObject;
  readonly strict: boolean;
  readonly retry: RetryRule | undefined;
  readonly overrideParams: JsonObject | undefined;
  readonly defaultParams: JsonObject | undefined;
  readonly dropParams: readonly string[] | undefined;
  /** Guardrails and mutators of the config. */
  readonly hooks: TargetHooks;
  /** The cache rule of the config; undefined: it has none. */
  readonly cache?: { readonly mode: 'simple' | 'semantic'; readonly maxAgeSeconds: number } | undefined;
  /**
   * A digest of where the request goes and as whom: provider unit, host, settings and credential. Two targets with equal
   * ones would get the same reply. 64 hex digits.
   */
  identity(): MaybePromise<string>;
  /** The region that the provider would be called in, where prices may go by it. */
  region?(): string | undefined;
}

/** A reply's bytes as they arrive. Push-based: the one place where speed forbids an async iterator. */
export interface ReplyStream {
  /** Starts the flow. `data` returns false to ask for a pause until `resume()`. Called once. */
  pipe(sink: ReplySink): void;
  resume(): void;
  /** Gives up the reply and frees its connection. */
  abort(): void;
}

export interface ReplySink {
  data(chunk: Uint8Array | string): boolean;
  /** `usage` is what the stream said about tokens. */
  end(): void;
  error(error: Error): void;
}

/** What one target gave: a provider's reply, or a fault that a fallback may react to. */
export interface Outcome {
  readonly status: number;
  /** Reply headers, lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body:
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
    | { readonly kind: 'stream'; readonly stream: ReplyStream };
  /** Name of the provider unit, or undefined when none was reached. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** JSON path of the target. */
  readonly path: string;
  /** Retries made; -1 when all were used and the last failed too. */
  readonly retries: number;
  /** Milliseconds that the provider asks to wait before the next try. */
  readonly retryAfterMs?: number;
  /** The error code, when the reply is an error. */
  readonly error?: string;
  /** Tokens, as far as known now; complete once the body has been sent. */
  usage(): Usage | undefined;
  /** How the cache was met; told in a header of the reply. Undefined: the request did not ask it. */
  readonly cache?: CacheStatus;
  /** Of a reply out of the cache: what its first making had cost, in billionths of a US dollar. */
  readonly savedNanoUsd?: number;
  /** The tier that the provider says it served with. */
  tier?(): string | undefined;
  /** The region that the provider says it served in, else the one that it was called in, where prices may go by it. */
  region?(): string | undefined;
  /** The connection that the reply stands for, such as a WebSocket; an outcome that takes its place hands it on. */
  readonly session?: object;
  /** Of a provider's reply, whatever was made of it since: an outcome that takes its place hands it on. */
  readonly metering?: Metering;
}

/** How far a provider's reply has told its tokens. */
export interface Metering {
  readonly state: MeterState;
  /** The provider's own word for why the answer ended, where it has been read. */
  readonly finish: string | undefined;
  /** The model that the reply names, where it has been read; formats and streams without counts tell none. */
  readonly model: string | undefined;
  /** The code of the error that a stream has ended with, after it had begun. */
  readonly error?: string | undefined;
}

/** A reply of a provider that was counted and not served: a guardrail denied it, and another try followed. */
export interface GivenUpReply {
  /** JSON path of the target that gave it. */
  readonly target: string;
  readonly usage: Usage | undefined;
  readonly usageSource: 'provider' | 'estimated' | undefined;
  /** Undefined: no price is known. */
  readonly cost: Cost | undefined;
}

/** What the log phase gets: an allow-list, so no body and no secret can be in it. */
export interface RequestRecord extends RequestNote {
  readonly id: string;
  readonly traceId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly method: string;
  readonly path: string;
  readonly endpoint: Endpoint | undefined;
  /** Status of the reply; 499 when the client left first. */
  readonly status: number;
  readonly stream: boolean;
  readonly principal: string | undefined;
  /** What its owner calls it. */
  readonly principalName?: string | undefined;
  /** These three: absent for callers of the operator's file. */
  readonly organisationId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Of the saved config that served. */
  readonly configId?: string | undefined;
  readonly configSlug?: string | undefined;
  readonly configVersionId?: string | undefined;
  /** The saved prompt that was run. */
  readonly prompt?: SavedPromptName | undefined;
  /** Of the saved provider (virtual key) that was tried last. */
  readonly providerSlug?: string | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly target: string | undefined;
  readonly retries: number;
  /** Of all replies that were counted, whether they served or not. */
  readonly usage: Usage | undefined;
  /** Who counted: the provider, or the gateway where the provider has said nothing. */
  readonly usageSource?: 'provider' | 'estimated' | undefined;
  /** Undefined: no price is known, which is not the same as free; replies out of the cache and failures without usage cost 0. */
  readonly cost?: Cost | undefined;
  /** Those that did not serve, whose tokens and cost are part of the above. Undefined: none. */
  readonly givenUp?: readonly GivenUpReply[] | undefined;
  readonly tier?: string | undefined;
  readonly region?: string | undefined;
  /** As the client named it. */
  readonly requestedModel?: string | undefined;
  /** As the provider's reply names it, such as a dated version of `model`. Undefined: that has not been read. */
  readonly repliedModel?: string | undefined;
  readonly cache?: CacheStatus | undefined;
  readonly savedNanoUsd?: number | undefined;
  /** Undefined: the pipeline has changed the body on its way, or no provider was asked. */
  readonly sentAs?: SentAs | undefined;
  /** The client got the reply as the provider gave it, byte for byte, and all of it. */
  readonly replyUntouched?: boolean | undefined;
  /** Another target than the first that was tried served. */
  readonly fallback?: boolean | undefined;
  readonly attempts?: readonly Attempt[] | undefined;
  readonly timings?: Timings | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** Of the key's owner. */
  readonly userId?: string | undefined;
  /** W3C trace context: the span of this request, 16 hex digits, and the caller's. */
  readonly spanId: string;
  /** What the caller calls the span, where that is no such id: logs show it in the place of the id. */
  readonly spanLabel?: string | undefined;
  readonly parentSpanId?: string | undefined;
  /** The trace of a well-formed `traceparent` that came with the request; `state`: its `tracestate`, where that is too. */
  readonly callersTrace?:
    | { readonly traceId: string; readonly sampled: boolean; readonly state?: string | undefined }
    | undefined;
  readonly spanName?: string | undefined;
  readonly error: string | undefined;
}

/** What was said, for plugins whose manifest has `permissions.bodies`. Worked out when it is asked for. */
export interface RecordBodies {
  request(): { readonly headers: RequestHeaders; readonly body: Uint8Array };
  /** As the client got it; undefined: nothing left. At most the bound that the gateway keeps of a stream. */
  response():
    | { readonly headers: Outcome['headers']; readonly body: Uint8Array; readonly truncated: boolean }
    | undefined;
  /** A control header of the request, by its name behind the vendor segment. */
  control(name: string): string | undefined;
}
