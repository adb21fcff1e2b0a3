import type { TSchema } from 'typebox';
import type { DialectName, EmbeddingDialect, GenerationDialect } from '../dialects/dialect.ts';
import type { FinishReason } from '../dialects/neutral.ts';
import type { Framing } from '../framing/framing.ts';
import type { Json, JsonArray, JsonObject } from '../json.ts';
import type { Auth } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import type { Flow } from './flow.ts';

/** An object schema, as `schema.Object()` makes it. */
export interface SettingsSchema extends TSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, TSchema>>;
}

/** A provider's settings after validation, by the names of its schema. */
export type Settings = Readonly<Record<string, Json>>;

/** What a path or a base may depend on. */
export interface CallFacts {
  readonly settings: Settings;
  readonly endpoint: Endpoint;
  /** The model after all parameter rules; '' where the request has none. */
  readonly model: string;
  readonly stream: boolean;
  /** Parameters of the client's path, decoded: `id`. */
  readonly params: Readonly<Record<string, string>>;
  /** The client's query, decoded; of a name that comes twice the last. */
  readonly query: Readonly<Record<string, string>>;
}

/** What a reply may be read with. */
export interface ReplyFacts {
  readonly facts: CallFacts;
  /** What the client asked, in its own format. */
  readonly asked: JsonObject;
  /** Of the reply, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  nowSeconds(): number;
  newId(prefix: string): string;
}

/** Bytes with their type. */
export interface TypedBytes {
  readonly contentType: string;
  readonly bytes: Uint8Array;
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
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{rest}` is the client's path below the route, for the endpoints that stand for everything below one. */
  readonly path: Path;
  /** Where streams have a path of their own. */
  readonly streamPath?: Path;
  /** The wire format, by name or, where it is this provider's own, itself. Absent: bytes pass untouched in both directions. */
  readonly dialect?: DialectName | GenerationDialect | EmbeddingDialect;
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
  /**
   * How the body leaves where it is not JSON: `form` as multipart/form-data, its strings, numbers and booleans as fields;
   * or bytes of any type. A form of the client leaves as a form in any case, with the fields that `request` gives it and its
   * files untouched.
   */
  readonly encoding?: 'form' | ((body: JsonObject, facts: CallFacts) => TypedBytes);
  /** What the provider is asked to answer with. Default: JSON, or events where the request streams. */
  readonly accept?: string;
  /** Brings a reply, or one event of a stream, into the dialect's form. Pure; returns its input when there is nothing to do. */
  readonly repair?: (json: JsonObject, reply: ReplyFacts) => JsonObject;
  /** Replies that are lists. Default: an error. */
  readonly repairList?: (list: JsonArray, reply: ReplyFacts) => JsonObject;
  /** Makes the reply in the dialect's form out of a successful one that is not JSON, such as a picture. Pure. */
  readonly wrap?: (reply: TypedBytes, facts: ReplyFacts) => JsonObject;
  /** Makes bytes for the client out of a reply in JSON, such as speech in base64. Pure. */
  readonly unwrap?: (json: JsonObject, facts: ReplyFacts) => TypedBytes;
  /** `bytes`: a successful reply flows to the client untouched, whatever its type and length. Default: it is JSON, or a stream of events. */
  readonly reply?: 'bytes';
  /** Whether the client's query goes along, on endpoints of documents and of none. Default true. */
  readonly query?: boolean;
  /** More than one call: takes the place of everything above but the dialect. `path` is what `explain` shows. */
  readonly flow?: Flow;
  /** Members of the client's body that `flow` has a use for; others that come are logged as dropped. Default: all. */
  readonly reads?: readonly string[];
}

export type Endpoints = Readonly<Partial<Record<Endpoint, EndpointSpec>>>;

/** Models of a platform that share a wire format. */
export interface ModelFamily {
  /** For listings. */
  readonly name: string;
  /** Of the model as the client names it, without `@slug/`; '' where a request has none. */
  readonly fits: (model: string, settings: Settings) => boolean;
  readonly endpoints: Endpoints;
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
  /** Names of its models may begin with `@`, as `@cf/meta/llama-3`: they are only taken for `@slug/model` where the slug is its own. */
  readonly atNames?: true;
  /** The region that it is called in, where prices may go by it; undefined: none in particular. */
  readonly region?: (settings: Settings) => string | undefined;
  /** Headers of every call, lower-case names; undefined values are left out. */
  readonly headers?: (facts: CallFacts) => Readonly<Record<string, string | undefined>>;
  /** What it offers whatever the model. */
  readonly endpoints: Endpoints;
  /** Models with endpoints of their own: the first that fits a model gives them, and `endpoints` what it leaves out. */
  readonly families?: readonly ModelFamily[];
  /** Answers without a network: the gateway calls this where it would open a connection. */
  readonly serve?: (request: LocalRequest) => LocalReply | Promise<LocalReply>;
}
