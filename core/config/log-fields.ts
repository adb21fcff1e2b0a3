import { schema as Type } from 'portcullis/sdk';

const longestMs = 2_147_483_647;
const mostDays = 3650;

function days(description: string, standard: number) {
  return Type.Integer({ minimum: 0, maximum: mostDays, default: standard, description });
}

/** The settings of the logs of requests, like `fields`. */
export const logFields = {
  analyticsStore: Type.Enum(['records', 'clickhouse', 'none'], {
    default: 'records',
    description:
      'Where requests are kept: in the database of the records (a file of its own in DATA_DIR where that is embedded), in ClickHouse, or nowhere.',
  }),
  analyticsEndpoint: Type.String({
    pattern: '^(https?://)?[A-Za-z0-9.:_\\[\\]-]{1,255}$',
    accepts: 'a host name, an IP address, or an http or https URL without path',
    description: 'ClickHouse server; needed with ANALYTICS_STORE=clickhouse.',
  }),
  analyticsPort: Type.Integer({
    minimum: 1,
    maximum: 65_535,
    description: 'Its HTTP port; absent: that of the endpoint, else 8123, or 8443 with TLS.',
  }),
  analyticsUser: Type.String({ minLength: 1, default: 'default', description: 'User at ClickHouse.' }),
  analyticsPassword: Type.String({ minLength: 1, description: 'Password at ClickHouse.' }),
  analyticsDatabase: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    accepts: 'letters, digits, dashes and underscores',
    default: 'default',
    description: 'Database in ClickHouse; it must be there, its tables are made.',
  }),
  analyticsTls: Type.Boolean({
    description: 'TLS to ClickHouse; absent: as the scheme of its endpoint says, else none.',
  }),
  store: Type.Enum(['rows', 's3'], {
    default: 'rows',
    description:
      'Where the bodies of requests are kept: beside their rows, or in an object store with the protocol of S3.',
  }),
  accessKey: Type.String({ minLength: 1, description: 'Access key of the object store.' }),
  secretKey: Type.String({ minLength: 1, description: 'Secret key of the object store.' }),
  region: Type.String({
    pattern: '^[a-z0-9-]{1,64}$',
    default: 'us-east-1',
    description: 'Region of the object store.',
  }),
  bucket: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$',
    accepts: 'the name of a bucket',
    description: 'Bucket of the bodies; needed with LOG_STORE=s3.',
  }),
  basePath: Type.String({
    pattern: '^[A-Za-z0-9._/-]{1,200}$',
    accepts: 'letters, digits, dots, dashes, underscores and slashes',
    description: 'What stands before every path in the bucket.',
  }),
  endpoint: Type.String({
    pattern: '^https?://[^\\s@?#]{1,500}$',
    accepts: 'an http or https URL without user, query and fragment',
    description: 'Object store other than that of the region; the bucket then stands in the path.',
  }),
  pathFormat: Type.Enum(['v1', 'v2'], {
    default: 'v1',
    description: 'Paths of new objects: flat, or by the hour of the request. Those that are there stay readable.',
  }),
  failureThreshold: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 5,
    description: 'Consecutive failures of log writes after which they are no longer tried.',
  }),
  backoffMs: Type.Integer({
    minimum: 1,
    maximum: longestMs,
    default: 60_000,
    description: 'How long log writes are then not tried, in milliseconds.',
  }),
  timeoutMs: Type.Integer({
    minimum: 1,
    maximum: longestMs,
    default: 15_000,
    description: 'Longest time of one log write, in milliseconds.',
  }),
  maxBodyBytes: Type.Integer({
    minimum: 0,
    maximum: 16_777_216,
    default: 262_144,
    description: 'Of each body that is logged, so many bytes are kept; the rest is cut off.',
  }),
  logDays: days('How long requests are kept, in days; 0 keeps them for ever.', 90),
  metricDays: days('How long the figures of analytics are kept, in days; 0 keeps them for ever.', 365),
};

const optional = Type.Optional;

/** What the operator's file says under `logs`. */
export const logsSection = {
  max_body_bytes: optional(logFields.maxBodyBytes),
  retention_days: optional(logFields.logDays),
  metrics_retention_days: optional(logFields.metricDays),
  failure_threshold: optional(logFields.failureThreshold),
  backoff: optional(logFields.backoffMs),
  timeout: optional(logFields.timeoutMs),
};
