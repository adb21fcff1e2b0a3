import type { Json, JsonObject } from '../json.ts';
import type { Checks } from './checks.ts';
import type { AuditEvent } from './control.ts';
import type { Counters } from './counters.ts';
import type { DefaultGuardrails, DirectoryKind, DirectoryKinds } from './directory.ts';
import type { LogSinks } from './logs.ts';
import type { Metrics } from './metrics.ts';
import type { RequestNote } from './note.ts';
import type { MaybePromise } from './plugin.ts';
import type { Cost, PriceQuestion } from './price.ts';
import type { RequestContext, Slot } from './request.ts';

/** Fields of a log line; those that are undefined are left out. */
export interface LogFields {
  readonly [name: string]: Json | undefined;
}

/** One line of a plugin's log: an event name in snake_case and fields that hold neither bodies nor secrets. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** The log of a plugin. */
export interface PluginLog extends Log {
  /** A log whose lines all have these fields, which are written out once, when it is made. */
  child(fields: LogFields): Log;
}

/** A key of the operator's file. The key itself is never stored. */
export interface FileKey {
  readonly name: string;
  /** SHA-256 of the key, 64 hex digits. */
  readonly sha256: string;
  /** Name of the config that serves when the request brings none. */
  readonly config?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly guardrails?: DefaultGuardrails;
}

/** A guardrail of the operator's file, in the form of the API. */
export interface FileGuardrail {
  readonly checks: readonly JsonObject[];
  readonly actions: JsonObject;
}

export interface FileSections {
  readonly keys: readonly FileKey[];
  /** Named routing configs. */
  readonly configs: Readonly<Record<string, JsonObject>>;
  /** Names of the saved providers, without their credentials. */
  readonly providers: readonly string[];
  /** Named guardrails. */
  readonly guardrails: Readonly<Record<string, FileGuardrail>>;
  /**
   * Guardrails that run without being named, by the place that says so: `default_guardrails`, `keys[0].guardrails`. Granted
   * with `guardrails`.
   */
  readonly defaultGuardrails: Readonly<Record<string, DefaultGuardrails>>;
  /** For the vendors of guardrail units, by the names of the units; in clear. */
  readonly guardrailCredentials: Readonly<Record<string, JsonObject>>;
  /** Name of the config that serves when neither the request nor its key names one. */
  readonly defaultConfig: string | undefined;
}

export interface FetchRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds, 1 to 600,000. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Default 1 MiB. */
  readonly maxBytes?: number;
}

export interface FetchReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface EmbeddingQuestion {
  /** `@slug/model` of a saved provider, or `provider/model`. */
  readonly model: string;
  readonly input: string;
  readonly dimensions?: number;
}

/** Bytes that processes share, under names of the plugin's own. While it is away, reads give nothing and writes are lost, at once. */
export interface SharedRedis {
  get(key: string): Promise<Uint8Array | undefined>;
  /** `ttlMs` at least 1. */
  set(key: string, value: Uint8Array, ttlMs: number): Promise<boolean>;
  delete(key: string): Promise<void>;
}

/** All that a plugin can reach. What the manifest's `permissions` do not grant throws `forbidden`. */
export interface Host {
  /** The plugin's own name. */
  readonly name: string;
  readonly log: PluginLog;
  /** Epoch milliseconds; tests set the clock. */
  now(): number;
  /** A number from 0 up to but not including 1; tests set it. */
  random(): number;
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  newId(): string;
  slot<T>(): Slot<T>;
  /** Needs `permissions.env`. */
  env(name: string): string | undefined;
  /** Needs `permissions.file`. */
  file<Section extends Exclude<keyof FileSections, 'defaultConfig'>>(section: Section): FileSections[Section];
  /** The default config's name; needs `permissions.file` with `configs`. */
  defaultConfig(): string | undefined;
  /** Needs the kind in `permissions.directory`. Undefined: there is no such record, or no control plane. */
  directory<K extends DirectoryKind>(kind: K, ...path: readonly string[]): MaybePromise<DirectoryKinds[K] | undefined>;
  /**
   * Writes an entry of the audit log, in the background: at most 60 a minute, the rest is counted in the log. Where the
   * control plane is in another process, nothing is written.
   */
  report(event: AuditEvent): void;
  /** Whether this gateway has a control plane, of its own or elsewhere. */
  readonly controlled: boolean;
  /**
   * A keyed checksum of a text, 8 letters and digits: tells what this deployment has issued from what it has not, without
   * asking anyone. Undefined while the key is not known yet. Needs `permissions.directory` with `key` or `session`.
   */
  checksum(text: string): string | undefined;
  /** Adds to what the log phase gets of the request; after it has been logged, nothing happens. */
  note(request: RequestContext, note: RequestNote): void;
  /** Needs `permissions.checks`. */
  readonly checks: Checks;
  /** Needs `permissions.counters`. */
  readonly counters: Counters;
  readonly metrics: Metrics;
  /** Needs `permissions.logs`. */
  readonly logs: LogSinks;
  /** What a request would cost, by the plugin that knows prices; undefined: nobody knows. */
  price(question: PriceQuestion): MaybePromise<Cost | undefined>;
  /**
   * The vector of a text, by a model of this gateway: a request of its own, with the caller's rights and limits. Needs
   * `permissions.models`.
   * @throws GatewayError when there is no vector
   */
  embed(question: EmbeddingQuestion, request: RequestContext): Promise<readonly number[]>;
  /** The Redis of the operator, for what processes share; undefined: there is none. Needs `permissions.redis`. */
  readonly redis: SharedRedis | undefined;
  /** Needs the URL's host and port in `permissions.net`; goes through the URL guard; follows no redirect. */
  fetch(url: string, request: FetchRequest): Promise<FetchReply>;
}
