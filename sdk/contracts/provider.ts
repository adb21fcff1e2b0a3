import type { TSchema } from 'typebox';
import type { DialectName } from '../dialects/dialect.ts';
import type { FinishReason } from '../dialects/neutral.ts';
import type { Framing } from '../framing/framing.ts';
import type { Json, JsonObject } from '../json.ts';

/** What a client asks for, whatever its dialect: the key of a provider's `endpoints`. */
export type Endpoint =
  | 'chatComplete'
  | 'complete'
  | 'embed'
  | 'rerank'
  | 'imageGenerate'
  | 'messages'
  | 'messagesCountTokens'
  | 'createModelResponse'
  | 'getModelResponse'
  | 'deleteModelResponse'
  | 'listResponseInputItems'
  | 'listModels'
  /** A saved prompt; once it is resolved, `chatComplete` or `complete`. */
  | 'promptComplete'
  | 'proxy';

/** An object schema, as `schema.Object()` makes it. */
export interface SettingsSchema extends TSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, TSchema>>;
}

/** A provider's settings after validation, by the names of its schema. */
export type Settings = Readonly<Record<string, Json>>;

/** Where a credential comes from and how it travels. `from` names a field of `settings`. */
export type Auth =
  | { readonly kind: 'none' }
  /** `Authorization: Bearer <value>` (RFC 6750). */
  | { readonly kind: 'bearer'; readonly from: string }
  | { readonly kind: 'header'; readonly name: string; readonly from: string }
  /** A short-lived bearer token, fetched by the host, cached until shortly before it ends, one fetch at a time. */
  | { readonly kind: 'token'; readonly request: (settings: Settings) => TokenRequest | Promise<TokenRequest> };

/** How to obtain a token; the answer is JSON with `access_token` and `expires_in` in seconds (RFC 6749 §5.1). */
export interface TokenRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
}

/** What a path or a base may depend on. */
export interface CallFacts {
  readonly settings: Settings;
  readonly endpoint: Endpoint;
  /** The model after all parameter rules; '' where the request has none. */
  readonly model: string;
  readonly stream: boolean;
  /** Parameters of the client's path, decoded: `id`. */
  readonly params: Readonly<Record<string, string>>;
}

/** `{model}` and `{id}` in a path are replaced, URL-encoded. A function must encode what it inserts. */
export type Path = string | ((facts: CallFacts) => string);

/** Changes of the request body that data can say; applied in this order. */
export interface ParamRules {
  /** Field to map of old to new value: `{ tool_choice: { required: 'any' } }`. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** Old name to new name; a field that already has the new name wins. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Fields that the provider refuses; each drop is logged. */
  readonly drop?: readonly string[];
  readonly set?: JsonObject;
}

export type StreamUsage = 'asked' | 'always' | 'never';

export interface EndpointSpec {
  /** Default POST. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: Path;
  /** Where streams have a path of their own. */
  readonly streamPath?: Path;
  /** The wire format. Absent: bytes pass untouched in both directions. */
  readonly dialect?: DialectName;
  /** Default: the dialect's own framing. */
  readonly framing?: Framing;
  readonly params?: ParamRules;
  /** The provider's own finish words where they differ from the dialect's. */
  readonly finishReasons?: Readonly<Record<string, FinishReason>>;
  /**
   * The message field in which this provider's variant of the chat format holds thinking, such as `reasoning_content`; used
   * for history sent to it from any format, and for replies to clients of the same format. Replies are read from
   * `reasoning_content` and `reasoning` with or without it; other names need a `repair`. Other dialects ignore it.
   */
  readonly reasoningField?: string;
  /**
   * How streams of the chat and completions formats tell their token counts: when they are asked by `stream_options`
   * (default), in each case, or never; the latter two refuse the question, or have no use for it. A function is pure, and
   * gets the body that would leave.
   */
  readonly streamUsage?: StreamUsage | ((body: JsonObject, facts: CallFacts) => StreamUsage);
  /** The last change of the body, for what `params` cannot say. Pure. */
  readonly request?: (body: JsonObject, facts: CallFacts) => JsonObject;
  /** Brings a reply, or one event of a stream, into the dialect's form. Pure; returns its input when there is nothing to do. */
  readonly repair?: (json: JsonObject) => JsonObject;
}

/** A request to a provider that answers inside the gateway. */
export interface LocalRequest {
  readonly method: string;
  /** Path and query below the provider's base. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

export interface LocalReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks as they would come from a socket. A throw stands for a reset connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * One provider: data, plus the few functions that data cannot express.
 * No network code, no stream parsing, no types of replies.
 */
export interface Provider {
  /** Object schema of credentials and other settings: `secret()` and `setting()` fields in camelCase. */
  readonly settings: SettingsSchema;
  /**
   * Base URL with its version segment and no slash at the end: `https://api.example.com/v1`. `custom_host` replaces it.
   * A string may hold `{setting}` for settings whose schema has a pattern.
   */
  readonly base: string | ((settings: Settings) => string);
  readonly auth: Auth | ((settings: Settings) => Auth);
  /** The setting that the caller's own credential (Authorization, `api_key`) fills. Default `apiKey`. */
  readonly credential?: string;
  /** Headers of every call, lower-case names; undefined values are left out. */
  readonly headers?: (facts: CallFacts) => Readonly<Record<string, string | undefined>>;
  readonly endpoints: Readonly<Partial<Record<Endpoint, EndpointSpec>>>;
  /** Answers without a network: the gateway calls this where it would open a connection. */
  readonly serve?: (request: LocalRequest) => LocalReply | Promise<LocalReply>;
}
