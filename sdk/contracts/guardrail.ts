import type { Static, TSchema } from 'typebox';
import type { Json, JsonObject } from '../json.ts';
import type { Endpoint } from './endpoint.ts';
import type { FetchReply, Log } from './host.ts';
import type { MaybePromise } from './plugin.ts';
import type { SettingsSchema } from './provider.ts';

/** When a check looks: at the request before it leaves, or at the reply before the client gets it. */
export const checkPhases = ['beforeRequest', 'afterRequest'] as const;
export type CheckPhase = (typeof checkPhases)[number];

export type SpeakerRole = 'system' | 'user' | 'assistant' | 'tool';

/** One text in scope, as it stands in the request or reply. */
export interface ScannedText {
  /** Position in `texts`: what an edit names. */
  readonly index: number;
  /** Developer messages are `system`; prompts, queries and documents without a role are `user`. */
  readonly role: SpeakerRole;
  readonly kind: 'text' | 'tool-arguments' | 'tool-result' | 'thinking' | 'refusal';
  /** Which message of the request, or which choice of the reply; from 0. -1: of the request as a whole. */
  readonly message: number;
  readonly text: string;
  /** Of a stream that is looked at piece by piece: more of the text may come, so what stands at its end may be cut off. */
  readonly goesOn?: boolean;
  /** A part of the same content as the text before it: some providers join the two without a break. */
  readonly adjoins?: boolean;
}

/** An image of the request, by reference or inline. */
export interface ScannedImage {
  /** Position in `images`: what an edit names. */
  readonly index: number;
  /** An http(s) URL, or a data URL. */
  readonly url: string;
}

/** One turn of the whole conversation, whatever the scope; of a reply, the answer of the first choice is the last turn. */
export interface Turn {
  readonly role: SpeakerRole;
  readonly text: string;
}

/** Whether guardrails have changed the parts of a request before a look at them. */
export interface ChangedParts {
  readonly request: boolean;
  /** Before there is one: false. */
  readonly reply: boolean;
}

/**
 * What a check may look at. It never holds a credential. Members behind a permission are empty where the manifest does not
 * list it under `permissions.request`.
 */
export interface CheckInput {
  readonly phase: CheckPhase;
  readonly endpoint: Endpoint;
  /** Name of the provider unit. */
  readonly provider: string;
  /** '' where the request names none. */
  readonly model: string;
  readonly stream: boolean;
  /** Every text in scope, in the order in which a reader meets them. */
  readonly texts: readonly ScannedText[];
  /** All texts in scope, joined by line feeds: for checks that look for something. */
  readonly text: string;
  /**
   * The same without what stands beside the answers of a reply, such as its sources, and, where there is anything else, without
   * arguments of tools and thinking: for checks that count or parse.
   */
  readonly content: string;
  readonly turns: readonly Turn[];
  /** The last thing that the user said; '' when there is none. */
  readonly prompt: string;
  readonly images: readonly ScannedImage[];
  /** Whether the reply asks for tools to be run. */
  readonly callsTools: boolean;
  /** The request's body in the client's format, after the parameter rules. Needs `body`; else `{}`. */
  readonly body: JsonObject;
  /** The reply's body in the client's format; of a stream, undefined. Needs `body`; else undefined. */
  readonly reply: JsonObject | undefined;
  /** Whether this is not what the client, or the provider, has sent: other guardrails came first. */
  readonly changed: ChangedParts;
  /** Request headers, lower-case names, none that holds a credential. Needs `headers`; else `{}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Needs `metadata`; else `{}`. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly traceId: string;
  /** Undefined: a caller who belongs to no organisation. */
  readonly organisationId: string | undefined;
  readonly workspaceId: string | undefined;
}

/**
 * A change that a check wants. Positions count UTF-16 units of the text as it was given; the edits of all checks are
 * applied together, so none is lost.
 */
export type Edit =
  /** Puts `with` in the place of `start` up to but not including `end`; equal ones insert. */
  | { readonly text: number; readonly start: number; readonly end: number; readonly with: string }
  /**
   * Adds to the first message of a role, at its start or end; a missing message is made, unless `create` is false: that of
   * the system first, others last.
   */
  | {
      readonly message: 'system' | 'user' | 'assistant';
      readonly at: 'start' | 'end';
      readonly add: string;
      readonly create?: boolean;
      /** A message of its own before it, or for `end` behind it, even where there is one: default false. */
      readonly apart?: boolean;
    }
  /** Puts an image's bytes in the place of its URL. `data` is base64. */
  | { readonly image: number; readonly mediaType: string; readonly data: string };

export interface Verdict {
  readonly pass: boolean;
  /** For people: one sentence, without the text that was checked. */
  readonly why?: string;
  /** For programs: appears as `data` in `hook_results`; at most 64 KiB of JSON. */
  readonly data?: Json;
  /** Only from checks that declare `edits`. */
  readonly edits?: readonly Edit[];
}

export interface CheckFetch {
  /** Default: GET, or POST where there is a body. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: what is left of the check's time. */
  readonly timeoutMs?: number;
  /** Default 1 MiB. */
  readonly maxBytes?: number;
}

/** A question to a model, through the gateway itself and with the caller's rights. */
export interface ModelQuestion {
  /** `@slug/model` of a saved provider, or `provider/model` with the credentials that the operator has set for it. */
  readonly model: string;
  readonly system: string;
  readonly user: string;
  /** 1 to 4096. */
  readonly maxTokens: number;
  /** Asks for an object of this JSON Schema, where the provider can promise one. */
  readonly answer?: { readonly name: string; readonly schema: JsonObject };
}

/** Runs code of the operator in the sandbox. */
export interface CodeRunner {
  /**
   * Compiles the source and looks at what it exports.
   * @throws GatewayError `invalid_config` naming `param`, line and column; `not_ready` where the sandbox could not look
   */
  accept(code: SandboxedCode, param: string): Promise<void>;
  run(code: SandboxedCode, input: CheckInput): Promise<Verdict>;
}

export interface SandboxedCode {
  /** JavaScript or TypeScript whose default export is `(input, host) => verdict`. */
  readonly source: string;
  /** `host:port` pairs that it may call. */
  readonly net: readonly string[];
  /** Milliseconds of wall clock for one run. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** All that a check can reach. What the manifest does not grant throws `forbidden`. */
export interface CheckHost<Secrets = JsonObject> {
  readonly log: Log;
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Of the organisation, the operator or the guardrail itself, checked against the unit's schema. In the sandbox each
   * secret is a handle: it works in a header of `fetch` and nowhere else.
   */
  readonly credentials: Secrets;
  /** Aborts when the time is up or nobody waits any more. */
  readonly signal: AbortSignal;
  /** Needs the host and port in `permissions.net`; through the URL guard; follows no redirect. @throws GatewayError */
  fetch(url: string, request?: CheckFetch): Promise<FetchReply>;
  /** Of the unit and organisation alone, in memory: at most 1,000 entries of 16 KiB. */
  readonly cache: {
    get(key: string): Json | undefined;
    /** `ttlSeconds`: 1 to 86,400. */
    set(key: string, value: Json, ttlSeconds: number): void;
  };
  /** The model's answer. Needs `permissions.models`. No guardrail runs on it. */
  ask(question: ModelQuestion): Promise<string>;
  /** A request header whatever it holds, lower-case name. Needs `credentials` in `permissions.request`. */
  header(name: string): string | undefined;
  /** Needs `permissions.sandbox`. */
  readonly code: CodeRunner;
}

/**
 * One named check. It gets a valid config and gives a verdict; it never decides about HTTP, denial or timing. What it
 * cannot decide it throws: what that means is said where the check is used.
 */
export interface Check<Config extends TSchema = TSchema, Ready = Static<Config>, Secrets = JsonObject> {
  readonly title: string;
  readonly description?: string;
  /** An object schema of the parameters; defaults are filled in, other keys are refused. */
  readonly config: Config;
  readonly phases: readonly [CheckPhase, ...CheckPhase[]];
  /** Where it makes sense; default: everywhere that there is a text, or everywhere when it does not scan. */
  readonly endpoints?: readonly Endpoint[];
  /** Whether it looks at texts: then `scan_scope` and `strip_scaffolding` choose them. Default true. */
  readonly scans?: boolean;
  /** `may`: its verdicts may hold edits. `only`: it changes and never judges. Default: neither. */
  readonly edits?: 'may' | 'only';
  /**
   * Its verdict is about a reply as a whole, such as its length or what it must hold: pieces of a stream tell it nothing, so that
   * windows wait until they hold all of it. Default false.
   */
  readonly whole?: boolean | ((config: Static<Config>) => boolean);
  /** It calls out: then `timeout`, `forwardHeaders` and `credentials` are parameters too. */
  readonly remote?: { readonly timeoutMs: number };
  /** What `run` gets in the place of the config: patterns compiled, lists as sets. Once for a config. @throws GatewayError `invalid_config` */
  prepare?(config: Static<Config>): Ready;
  /** Looks deeper before a guardrail is saved. @throws GatewayError `invalid_config` */
  accept?(config: Ready, host: CheckHost<Secrets>): Promise<void>;
  run(input: CheckInput, config: Ready, host: CheckHost<Secrets>): MaybePromise<Verdict>;
}

/** A check whatever its types. */
export interface AnyCheck
  extends Pick<Check, 'title' | 'description' | 'config' | 'phases' | 'endpoints' | 'scans' | 'edits' | 'remote'> {
  readonly whole?: boolean | ((config: never) => boolean);
  prepare?(config: never): unknown;
  accept?(config: never, host: never): Promise<void>;
  run(input: CheckInput, config: never, host: never): MaybePromise<Verdict>;
}

/** A family of checks: the default export of a guardrail unit. The id of a check is `<folder>.<name>`. */
export interface Guardrail {
  /** Object schema of what the vendor asks for, `secret()` and `setting()` fields; stored encrypted. Absent: needs none. */
  readonly credentials?: SettingsSchema;
  readonly checks: Readonly<Record<string, AnyCheck>>;
}
