import type { DefaultGuardrails, FileGuardrail, FileKey, JsonObject, PhaseName } from 'portcullis/sdk';
import type { ControlSettings, RemoteSettings } from '../control/settings.ts';
import type { LedgerSettings } from '../ledger/settings.ts';
import type { LogsSettings } from '../logs/settings.ts';
import type { MetricsSettings } from '../telemetry/metrics-route.ts';
import type { OperatorFile } from './file-schema.ts';

/** The levels of the log, from the most talkative to none. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * All that the operator decides, after environment, file and defaults have been merged.
 * Durations are milliseconds, sizes are bytes.
 */
export interface GatewayConfig {
  readonly server: ServerConfig;
  readonly caps: TargetCaps;
  readonly log: { readonly level: LogLevel };
  readonly pluginFolders: readonly PluginFolder[];
  readonly signingKeys: readonly SigningKey[];
  /** Plugins by phase, in run order; a phase that is given replaces the default list of that phase. */
  readonly phases: Readonly<Partial<Record<PhaseName, readonly ListedPlugin[]>>>;
  /** Saved providers by slug. */
  readonly providers: Readonly<Record<string, SavedProvider>>;
  /** Named routing configs, not yet compiled. */
  readonly configs: Readonly<Record<string, JsonObject>>;
  /** Name of the config that serves when neither the request nor its key names one. */
  readonly defaultConfig?: string;
  readonly keys: readonly FileKey[];
  /** Named guardrails. */
  readonly guardrails?: Readonly<Record<string, FileGuardrail>>;
  /** By the names of guardrail units. */
  readonly guardrailCredentials?: Readonly<Record<string, JsonObject>>;
  /** For callers who belong to no organisation. */
  readonly defaultGuardrails?: DefaultGuardrails;
  /** The control plane of this process; absent: it has none. */
  readonly control?: ControlSettings;
  /** The control plane that it reads from instead. */
  readonly remote?: RemoteSettings;
  /** Plugins of the control plane that replace the standard ones. */
  readonly controlPlugins?: readonly string[];
  /** Requests may name only what is saved, whoever sends them. Default false. */
  readonly blockInlineConfig?: boolean;
  /** What becomes of requests under limits while Redis is away, and how long it may take, in milliseconds. */
  readonly limits?: { readonly whenRedisAway: 'open' | 'closed'; readonly redisTimeoutMs: number };
  readonly metrics?: MetricsSettings;
  /** Where requests are kept; absent: nowhere. */
  readonly logs?: LogsSettings;
  /** What the operator's file says about that, for `logsSettingsOf`. */
  readonly logsFile?: OperatorFile['logs'];
  /** The Redis that processes share; absent: there is none. */
  readonly redisUrl?: string;
  /** How tokens are counted; absent: as its defaults say. */
  readonly ledger?: LedgerSettings;
}

/** Where a config says nothing. */
export const standardUploadBytes = 1024 ** 3;

export interface ServerConfig {
  /** Absent: the gateway decides by whether anyone may call without a key. */
  readonly host?: string;
  readonly port: number;
  readonly bodyLimit: number;
  /** How long running requests may take to finish after the gateway was told to stop. */
  readonly drainTimeoutMs: number;
  /** Processes that serve the port together. Default 1. */
  readonly workers?: number;
  /** The vendor segments of the gateway's headers; the first is canonical. */
  readonly headerVendors: readonly string[];
  readonly cors: { readonly enabled: boolean; readonly origins: readonly string[] };
  /** Proxies before the gateway whose X-Forwarded-For is believed. Default 0. */
  readonly trustedProxyHops?: number;
  /** Hosts that a custom host may name although they are private. */
  readonly trustedHosts: readonly string[];
  readonly timeouts: Timeouts;
  /** Of files in either direction, and of bodies that are no JSON. Default 1 GiB. */
  readonly maxUploadBytes?: number;
  /** Whose providers may use the identity of the machine. Default `operator`. */
  readonly machineIdentity?: 'off' | 'operator' | 'all';
  readonly maxReplyBytes: number;
  readonly customHostMaxReplyBytes: number;
}

export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  /** Longest silence between two chunks of a reply. */
  readonly gapMs: number;
  readonly totalMs: number;
  /** Of one attempt, where the config gives none. */
  readonly requestMs?: number;
}

/** How many targets one routing config may hold. */
export interface TargetCaps {
  readonly root: number;
  readonly conditionalRoot: number;
  readonly nested: number;
}

export interface PluginFolder {
  readonly path: string;
  readonly trust: 'trusted' | 'sandboxed';
  readonly requireSignature: boolean;
}

/** A public Ed25519 key as JWK (RFC 8037). */
export interface SigningKey {
  readonly kid?: string;
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

/** One plugin in the list of a phase: `name` or `name@major`. */
export interface ListedPlugin {
  readonly plugin: string;
  readonly config?: JsonObject;
}

export interface SavedProvider {
  /** `name` or `name@major` of the provider unit. */
  readonly provider: string;
  readonly customHost?: string;
  /** Models that it serves; empty: all. */
  readonly models: readonly string[];
  /** The provider's own settings by their snake_case names. */
  readonly settings: JsonObject;
}
