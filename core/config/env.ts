import { GatewayError } from 'portcullis/sdk';
import type { Static, TSchema } from 'typebox';
import { fields } from './fields.ts';
import { logFields } from './log-fields.ts';
import { readText } from './read-text.ts';

interface Variable<Schema extends TSchema> {
  readonly schema: Schema;
  readonly default: unknown;
  readonly summary: string;
}

function variable<Schema extends TSchema>(schema: Schema): Variable<Schema> {
  const { default: standard, description } = schema as { default?: unknown; description?: string };
  return { schema, default: standard, summary: description ?? '' };
}

/**
 * Every environment variable of the gateway. The README's table is generated from this one. Lists are written with
 * commas, durations in milliseconds, sizes in bytes; an empty value counts as absent.
 */
export const environmentTable = {
  PORT: variable(fields.port),
  HOST: variable(fields.host),
  PORTCULLIS_CONFIG: variable(fields.configPath),
  HEADER_VENDORS: variable(fields.headerVendors),
  TRUSTED_CUSTOM_HOSTS: variable(fields.trustedHosts),
  REQUEST_TIMEOUT: variable(fields.requestMs),
  CONNECT_TIMEOUT: variable(fields.connectMs),
  FIRST_BYTE_TIMEOUT: variable(fields.firstByteMs),
  GAP_TIMEOUT: variable(fields.gapMs),
  TOTAL_TIMEOUT: variable(fields.totalMs),
  MAX_BODY_BYTES: variable(fields.bodyLimit),
  MAX_UPLOAD_BYTES: variable(fields.maxUploadBytes),
  MACHINE_IDENTITY: variable(fields.machineIdentity),
  MAX_REPLY_BYTES: variable(fields.maxReplyBytes),
  CUSTOM_HOST_MAX_REPLY_BYTES: variable(fields.customHostMaxReplyBytes),
  DRAIN_TIMEOUT: variable(fields.drainTimeoutMs),
  WORKERS: variable(fields.workers),
  MAX_ROOT_CONFIG_TARGETS: variable(fields.rootTargets),
  MAX_CONDITIONAL_ROOT_CONFIG_TARGETS: variable(fields.conditionalRootTargets),
  MAX_NESTED_CONFIG_TARGETS: variable(fields.nestedTargets),
  BLOCK_INLINE_CONFIG: variable(fields.blockInlineConfig),
  LEDGER_ASK_USAGE: variable(fields.ledgerAskUsage),
  LEDGER_ON_DISCONNECT: variable(fields.ledgerOnDisconnect),
  LIMITS_WHEN_REDIS_AWAY: variable(fields.limitsWhenRedisAway),
  LIMITS_REDIS_TIMEOUT: variable(fields.limitsRedisMs),
  ENABLE_PROMETHEUS: variable(fields.enablePrometheus),
  PROMETHEUS_TOKEN: variable(fields.prometheusToken),
  SERVER_MODE: variable(fields.serverMode),
  CONTROL_PLANE_URL: variable(fields.controlPlaneUrl),
  CONTROL_PLANE_INSECURE: variable(fields.controlPlaneInsecure),
  SERVICE_TOKEN: variable(fields.serviceToken),
  DIRECTORY_POLL_MS: variable(fields.directoryPollMs),
  REDIS_URL: variable(fields.redisUrl),
  LOG_LEVEL: variable(fields.logLevel),
  ANALYTICS_STORE: variable(logFields.analyticsStore),
  ANALYTICS_STORE_ENDPOINT: variable(logFields.analyticsEndpoint),
  ANALYTICS_STORE_PORT: variable(logFields.analyticsPort),
  ANALYTICS_STORE_USER: variable(logFields.analyticsUser),
  ANALYTICS_STORE_PASSWORD: variable(logFields.analyticsPassword),
  ANALYTICS_STORE_DATABASE: variable(logFields.analyticsDatabase),
  ANALYTICS_STORE_TLS: variable(logFields.analyticsTls),
  LOG_STORE: variable(logFields.store),
  LOG_STORE_ACCESS_KEY: variable(logFields.accessKey),
  LOG_STORE_SECRET_KEY: variable(logFields.secretKey),
  LOG_STORE_REGION: variable(logFields.region),
  LOG_STORE_GENERATIONS_BUCKET: variable(logFields.bucket),
  LOG_STORE_BASEPATH: variable(logFields.basePath),
  LOG_STORE_ENDPOINT: variable(logFields.endpoint),
  LOG_STORE_FILE_PATH_FORMAT: variable(logFields.pathFormat),
  LOG_STORE_CONNECTION_FAILURE_THRESHOLD: variable(logFields.failureThreshold),
  LOG_STORE_CONNECTION_BACKOFF_MS: variable(logFields.backoffMs),
  LOG_STORE_CONNECTION_TIMEOUT_MS: variable(logFields.timeoutMs),
  LOG_MAX_BODY_BYTES: variable(logFields.maxBodyBytes),
  LOG_RETENTION_DAYS: variable(logFields.logDays),
  METRICS_RETENTION_DAYS: variable(logFields.metricDays),
  TRUSTED_PROXY_HOPS: variable(fields.trustedProxyHops),
  JOBS_ENABLED: variable(fields.jobsEnabled),
  PUBLIC_URL: variable(fields.publicUrl),
  ADMIN_TIMESTAMPS: variable(fields.adminTimestamps),
  SMTP_HOST: variable(fields.smtpHost),
  SMTP_PORT: variable(fields.smtpPort),
  SMTP_USER: variable(fields.smtpUser),
  SMTP_PASSWORD: variable(fields.smtpPassword),
  SMTP_FROM: variable(fields.smtpFrom),
  SMTP_SECURE: variable(fields.smtpSecure),
  DATA_DIR: variable(fields.dataDir),
  DB_HOST: variable(fields.dbHost),
  DB_PORT: variable(fields.dbPort),
  DB_NAME: variable(fields.dbName),
  DB_USER: variable(fields.dbUser),
  DB_PASS: variable(fields.dbPass),
  DB_SSL: variable(fields.dbSsl),
  DB_SSL_CA: variable(fields.dbSslCa),
  DB_SSL_CERT: variable(fields.dbSslCert),
  DB_SSL_KEY: variable(fields.dbSslKey),
  DB_READER_HOST: variable(fields.dbReaderHost),
  DB_READER_PORT: variable(fields.dbReaderPort),
  DB_READER_USER: variable(fields.dbReaderUser),
  DB_READER_PASS: variable(fields.dbReaderPass),
  DB_POOL_SIZE: variable(fields.dbPoolSize),
  DB_QUERY_TIMEOUT: variable(fields.dbQueryMs),
  MIGRATE_ON_START: variable(fields.migrateOnStart),
  PORTCULLIS_ENCRYPTION_KEY: variable(fields.encryptionKey),
  PORTCULLIS_ENCRYPTION_KEY_PREVIOUS: variable(fields.previousEncryptionKey),
};

type Table = typeof environmentTable;
type VariableName = keyof Table;

/** The variables that are given; defaults are not filled in, so that the operator's file can stand between the two. */
export type EnvironmentValues = { readonly [Name in VariableName]?: Static<Table[Name]['schema']> };

export interface Environment extends EnvironmentValues {
  /** Any variable, for `${NAME}` in the operator's file and for what a manifest grants under `permissions.env`. */
  readonly lookup: (name: string) => string | undefined;
}

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks the variables of the table; the only place that reads `process.env`.
 * @throws GatewayError `invalid_config`, one sentence for each variable at fault
 */
export function readEnvironment(source: Source = process.env): Environment {
  const values: Record<string, unknown> = {};
  const faults: { name: string; message: string }[] = [];
  for (const [name, { schema }] of Object.entries(environmentTable)) {
    const text = lookup(name, source)?.trim();
    if (text === undefined || text === '') continue;
    const read = readText(schema, text);
    if ('value' in read) values[name] = read.value;
    else faults.push({ name, message: `The environment variable ${name} must be ${read.accepted}.` });
  }
  const [first] = faults;
  if (first !== undefined) {
    throw new GatewayError('invalid_config', faults.map(({ message }) => message).join('\n'), { param: first.name });
  }
  return { ...(values as EnvironmentValues), lookup: (name) => lookup(name, source) };
}

function lookup(name: string, source: Source): string | undefined {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}
