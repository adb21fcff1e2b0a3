import { existsSync } from 'node:fs';
import type { DefaultGuardrails, FileKey, JsonObject } from 'portcullis/sdk';
import { type Environment, type EnvironmentValues, environmentTable } from './env.ts';
import type { ListedEntry, OperatorFile } from './file-schema.ts';
import type { GatewayConfig, ListedPlugin, SavedProvider, ServerConfig } from './gateway-config.ts';

/** What serves where there is no file: a provider that needs no network. A file implies none of it. */
const embedded: OperatorFile = { configs: { echo: { provider: 'echo' } }, default_config: 'echo' };

/**
 * Merges what is set: a variable of the environment beats the file, the file beats the default.
 * @param file undefined: there is none, and the embedded defaults serve
 */
export function effectiveConfig(file: OperatorFile | undefined, environment: EnvironmentValues): GatewayConfig {
  const {
    log,
    plugins,
    phases = {},
    providers = {},
    configs = {},
    default_config,
    keys = [],
    guardrails = {},
    guardrail_credentials = {},
    default_guardrails,
    control,
    ledger,
    logs,
    limits,
    server,
  } = file ?? embedded;
  return {
    server: serverConfig(server, environment),
    caps: {
      root: pick(environment, 'MAX_ROOT_CONFIG_TARGETS', undefined),
      conditionalRoot: pick(environment, 'MAX_CONDITIONAL_ROOT_CONFIG_TARGETS', undefined),
      nested: pick(environment, 'MAX_NESTED_CONFIG_TARGETS', undefined),
    },
    log: { level: pick(environment, 'LOG_LEVEL', log?.level) },
    pluginFolders: (plugins?.folders ?? []).map(({ path, trust, require_signature }) => ({
      path,
      trust: trust ?? 'sandboxed',
      requireSignature: require_signature ?? false,
    })),
    signingKeys: plugins?.signing_keys ?? [],
    phases: mapped(phases, (list) => list.map(listedPlugin)),
    providers: mapped(providers, savedProvider),
    configs,
    ...(default_config === undefined ? {} : { defaultConfig: default_config }),
    keys: keys.map(fileKey),
    guardrails: mapped(guardrails, ({ checks, actions = {} }) => ({ checks, actions })),
    guardrailCredentials: guardrail_credentials,
    ...(default_guardrails === undefined ? {} : { defaultGuardrails: defaults(default_guardrails) }),
    ...(control?.plugins === undefined ? {} : { controlPlugins: control.plugins }),
    ...(logs === undefined ? {} : { logsFile: logs }),
    ...(environment.BLOCK_INLINE_CONFIG === true ? { blockInlineConfig: true } : {}),
    limits: {
      whenRedisAway: pick(environment, 'LIMITS_WHEN_REDIS_AWAY', limits?.when_redis_away),
      redisTimeoutMs: pick(environment, 'LIMITS_REDIS_TIMEOUT', limits?.redis_timeout),
    },
    metrics: { enabled: environment.ENABLE_PROMETHEUS, token: environment.PROMETHEUS_TOKEN },
    ...(environment.REDIS_URL === undefined ? {} : { redisUrl: environment.REDIS_URL }),
    ledger: {
      askUsage: pick(environment, 'LEDGER_ASK_USAGE', ledger?.ask_usage),
      onDisconnect: pick(environment, 'LEDGER_ON_DISCONNECT', ledger?.on_disconnect),
    },
  };
}

/**
 * The config that the environment asks for: the file of `PORTCULLIS_CONFIG`, or `portcullis.yaml` of the working folder
 * where there is one, or the embedded defaults. `path` is what to watch.
 * @throws GatewayError `invalid_config`, a line for each fault, or when the file named by the variable cannot be read
 */
export async function loadConfig(
  environment: Environment,
): Promise<{ readonly config: GatewayConfig; readonly path: string | undefined }> {
  const standard = environmentTable.PORTCULLIS_CONFIG.default as string;
  const path = environment.PORTCULLIS_CONFIG ?? (existsSync(standard) ? standard : undefined);
  const file = path === undefined ? undefined : await operatorFile(path, environment.lookup);
  return { config: effectiveConfig(file, environment), path };
}

/** Without a file, what reads one is not loaded. */
async function operatorFile(path: string, lookup: Environment['lookup']): Promise<OperatorFile> {
  const { readOperatorFile } = await import('./operator-file.ts');
  return readOperatorFile(path, lookup);
}

type Name = keyof EnvironmentValues;
type Value<N extends Name> = NonNullable<EnvironmentValues[N]>;

function pick<N extends Name>(environment: EnvironmentValues, name: N, inFile: Value<N> | undefined): Value<N> {
  return environment[name] ?? inFile ?? (environmentTable[name].default as Value<N>);
}

function serverConfig(server: OperatorFile['server'], environment: EnvironmentValues): ServerConfig {
  const host = environment.HOST ?? server?.host;
  const requestMs = environment.REQUEST_TIMEOUT ?? server?.timeouts?.request;
  return {
    ...(host === undefined ? {} : { host }),
    port: pick(environment, 'PORT', server?.port),
    bodyLimit: pick(environment, 'MAX_BODY_BYTES', server?.body_limit),
    drainTimeoutMs: pick(environment, 'DRAIN_TIMEOUT', server?.drain_timeout),
    workers: pick(environment, 'WORKERS', server?.workers),
    headerVendors: pick(environment, 'HEADER_VENDORS', server?.header_vendors),
    cors: { enabled: server?.cors?.enabled ?? false, origins: server?.cors?.origins ?? ['*'] },
    trustedHosts: pick(environment, 'TRUSTED_CUSTOM_HOSTS', server?.trusted_hosts),
    trustedProxyHops: pick(environment, 'TRUSTED_PROXY_HOPS', server?.trusted_proxy_hops),
    timeouts: {
      connectMs: pick(environment, 'CONNECT_TIMEOUT', server?.timeouts?.connect),
      firstByteMs: pick(environment, 'FIRST_BYTE_TIMEOUT', server?.timeouts?.first_byte),
      gapMs: pick(environment, 'GAP_TIMEOUT', server?.timeouts?.gap),
      totalMs: pick(environment, 'TOTAL_TIMEOUT', server?.timeouts?.total),
      ...(requestMs === undefined ? {} : { requestMs }),
    },
    maxUploadBytes: pick(environment, 'MAX_UPLOAD_BYTES', server?.max_upload_bytes),
    machineIdentity: pick(environment, 'MACHINE_IDENTITY', server?.machine_identity),
    maxReplyBytes: pick(environment, 'MAX_REPLY_BYTES', server?.max_reply_bytes),
    customHostMaxReplyBytes: pick(environment, 'CUSTOM_HOST_MAX_REPLY_BYTES', server?.custom_host_max_reply_bytes),
  };
}

function listedPlugin(entry: ListedEntry): ListedPlugin {
  return typeof entry === 'string' ? { plugin: entry } : entry;
}

function savedProvider(entry: NonNullable<OperatorFile['providers']>[string]): SavedProvider {
  const { provider, custom_host, models = [], ...settings } = entry;
  return {
    provider,
    ...(custom_host === undefined ? {} : { customHost: custom_host }),
    models,
    settings: settings as JsonObject,
  };
}

function fileKey(key: NonNullable<OperatorFile['keys']>[number]): FileKey {
  const { name, sha256, config, metadata, guardrails } = key;
  return {
    name,
    sha256: sha256.toLowerCase(),
    ...(config === undefined ? {} : { config }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(guardrails === undefined ? {} : { guardrails: defaults(guardrails) }),
  };
}

function defaults({ input, output }: NonNullable<OperatorFile['default_guardrails']>): DefaultGuardrails {
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
}

function mapped<K extends string, From, To>(
  record: Readonly<Partial<Record<K, From>>>,
  change: (value: From) => To,
): Readonly<Record<K, To>> {
  return Object.fromEntries(
    Object.entries<From>(record as Record<K, From>).map(([name, value]) => [name, change(value)]),
  ) as Record<K, To>;
}
