import { schema as Type } from 'portcullis/sdk';
import { onDisconnectChoices, standardLedger } from '../ledger/settings.ts';
import { logLevels, standardUploadBytes } from './gateway-config.ts';

// Timers of Node fire at once beyond this many milliseconds.
const longestMs = 2_147_483_647;
// V8 makes no longer string, and a body is decoded into one.
const longestText = 536_870_888;
const mostBytes = 2 ** 40;

function milliseconds(description: string, standard?: number) {
  return Type.Integer({
    minimum: 1,
    maximum: longestMs,
    description,
    ...(standard === undefined ? {} : { default: standard }),
  });
}

function bytes(description: string, standard: number, maximum = mostBytes) {
  return Type.Integer({ minimum: 1, maximum, description, default: standard });
}

function targets(description: string, standard: number) {
  return Type.Integer({ minimum: 1, maximum: 100_000, description, default: standard });
}

/**
 * The settings that have both a variable and a place in the operator's file, or a variable alone. Bounds, default and
 * description stand here once. `accepts` is the noun phrase of a refusal where the keywords cannot say it.
 */
export const fields = {
  configPath: Type.String({ minLength: 1, description: "Path of the operator's file.", default: 'portcullis.yaml' }),
  host: Type.String({
    pattern: '^[A-Za-z0-9.:_-]{1,255}$',
    accepts: 'a host name or an IP address without brackets',
    description: 'Address to listen on. Absent: all addresses, or loopback alone while anyone may call without a key.',
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8787,
    description: 'Port to listen on; 0 takes a free one.',
  }),
  headerVendors: Type.Array(
    Type.String({
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      maxLength: 32,
      accepts: 'lower-case letters, digits and dashes',
    }),
    {
      minItems: 1,
      uniqueItems: true,
      default: ['gw'],
      description:
        "Vendor segments of the gateway's headers (`x-gw-config`); the first is canonical, the others are aliases.",
    },
  ),
  trustedHosts: Type.Array(
    Type.String({
      minLength: 1,
      maxLength: 300,
      accepts: 'a host, host:port, *.example.com, an IP address or a range',
    }),
    {
      default: [],
      description:
        'Hosts that a custom host may name although they are private: host, host:port, *.example.com, address or range.',
    },
  ),
  requestMs: milliseconds('Longest time of one attempt, in milliseconds, where the routing config gives none.'),
  connectMs: milliseconds('Longest time to open a connection to a provider, in milliseconds.', 10_000),
  firstByteMs: milliseconds('Longest wait for the first byte of a reply, in milliseconds.', 300_000),
  gapMs: milliseconds('Longest silence between two chunks of a reply, in milliseconds.', 120_000),
  totalMs: milliseconds('Longest time of a whole reply, in milliseconds.', 3_600_000),
  bodyLimit: bytes('Largest request body, in bytes.', 33_554_432, longestText),
  maxUploadBytes: bytes(
    'Largest file that is uploaded or downloaded, and largest body that is no JSON, in bytes.',
    standardUploadBytes,
  ),
  machineIdentity: Type.Enum(['off', 'operator', 'all'], {
    default: 'operator',
    description:
      "Whose providers may use the identity that a cloud gives this machine (its roles, managed and workload identities): nobody's, those of the operator's file, or also those that organisations have saved.",
  }),
  maxReplyBytes: bytes('Largest reply of a provider, in bytes.', 134_217_728),
  customHostMaxReplyBytes: bytes('Largest reply of a custom host, in bytes.', 33_554_432),
  drainTimeoutMs: Type.Integer({
    minimum: 0,
    maximum: longestMs,
    default: 30_000,
    description: 'How long running requests may take to finish after the gateway was told to stop, in milliseconds.',
  }),
  workers: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    description:
      'Processes that serve the port together; more than one needs REDIS_URL, where they count limits together.',
  }),
  rootTargets: targets('Most targets at the top level of a routing config.', 100),
  conditionalRootTargets: targets('Most targets at the top level of a conditional routing config.', 1000),
  nestedTargets: targets('Most targets below one target of the top level.', 50),
  blockInlineConfig: Type.Boolean({
    default: false,
    description:
      'Whether requests may name only what is saved: inline configs, providers, custom hosts, provider URLs and forwarded headers are refused.',
  }),
  ledgerAskUsage: Type.Boolean({
    default: standardLedger.askUsage,
    description:
      'Whether providers are asked for the token counts of streams where the client has not asked; it does not see them.',
  }),
  ledgerOnDisconnect: Type.Enum([...onDisconnectChoices], {
    default: standardLedger.onDisconnect,
    description:
      'What becomes of an answer whose client has left: `count` gives it up and counts what came of it, `drain` reads it to its end, for 30 seconds and 8 MiB at most.',
  }),
  limitsWhenRedisAway: Type.Enum(['open', 'closed'], {
    default: 'open',
    description:
      'What becomes of requests under limits while Redis is away or slow: `open` counts them in each process and tells Redis later, `closed` refuses them.',
  }),
  limitsRedisMs: Type.Integer({
    minimum: 10,
    maximum: 10_000,
    default: 250,
    description:
      'Longest wait for Redis when a limit is counted, in milliseconds; a few such waits in a row, and nobody waits.',
  }),
  enablePrometheus: Type.Boolean({
    description:
      'Whether `/metrics` is there: for anyone who reaches the port, or with PROMETHEUS_TOKEN for whoever brings it. Not set: for programs on this machine alone.',
  }),
  prometheusToken: Type.String({
    minLength: 16,
    accepts: 'at least 16 characters',
    description: 'Bearer token that `/metrics` asks for.',
  }),
  serverMode: Type.Enum(['all', 'gateway', 'control'], {
    default: 'all',
    description:
      'What this process serves: the gateway and its control plane, the gateway alone, or the control plane alone.',
  }),
  controlPlaneUrl: Type.String({
    pattern: '^https?://[^\\s@?#]{1,2000}$',
    accepts: 'an http or https URL without user, query and fragment',
    description: 'Where a gateway that has no control plane of its own reads its records.',
  }),
  controlPlaneInsecure: Type.Boolean({
    default: false,
    description: 'Whether CONTROL_PLANE_URL may be plain http to another machine: credentials then travel in clear.',
  }),
  serviceToken: Type.String({
    pattern: '^[!-~]{32,1024}$',
    accepts: '32 to 1024 letters, digits and signs without spaces',
    description: 'Secret that gateways and their control plane share; both sides need the same.',
  }),
  directoryPollMs: Type.Integer({
    minimum: 100,
    maximum: 60_000,
    default: 2_000,
    description: 'How often a gateway asks which records have changed, in milliseconds.',
  }),
  redisUrl: Type.String({
    pattern: '^rediss?://\\S+$',
    accepts: 'a redis or rediss URL',
    description: 'Redis that carries notices of changes between processes at once; absent: they are seen by asking.',
  }),
  trustedProxyHops: Type.Integer({
    minimum: 0,
    maximum: 20,
    default: 0,
    description:
      'How many proxies stand before the gateway: X-Forwarded-For of that many is believed for the addresses of callers.',
  }),
  jobsEnabled: Type.Boolean({
    default: true,
    description:
      'Whether this process runs the jobs of the control plane (rotation, retention); several share them, each job in one at a time.',
  }),
  publicUrl: Type.String({
    pattern: '^https?://[^\\s@?#]{1,2000}$',
    accepts: 'an http or https URL without user, query and fragment',
    description: 'Where people and applications reach this gateway: for links in mail, sign-in and cookies.',
  }),
  adminTimestamps: Type.Enum(['unix', 'iso'], {
    default: 'unix',
    description: 'How the control plane writes moments: Unix seconds, or ISO 8601 with milliseconds.',
  }),
  logLevel: Type.Enum([...logLevels], { default: 'info', description: 'Least severe level that is logged.' }),
  smtpHost: Type.String({
    pattern: '^[A-Za-z0-9.:_-]{1,255}$',
    accepts: 'a host name or an IP address without brackets',
    description: 'Mail server. Absent: no mail is sent.',
  }),
  smtpPort: Type.Integer({ minimum: 1, maximum: 65_535, default: 587, description: 'Port of the mail server.' }),
  smtpUser: Type.String({ minLength: 1, description: 'User at the mail server; absent: without signing in.' }),
  smtpPassword: Type.String({ minLength: 1, description: 'Password at the mail server.' }),
  smtpFrom: Type.String({
    pattern: '^[^\\r\\n]*[^\\s@<>]+@[^\\s@<>]+>?$',
    maxLength: 320,
    accepts: 'an e-mail address, alone or as Name <address>',
    description: 'Sender of the mail. Needed where there is a mail server.',
  }),
  smtpSecure: Type.Boolean({
    description: 'TLS from the first byte; absent: on port 465 alone. STARTTLS is used wherever it is offered.',
  }),
  dataDir: Type.String({
    minLength: 1,
    default: 'data',
    description: 'Folder of the embedded database and its encryption key; made where it is missing.',
  }),
  dbHost: Type.String({
    pattern: '^[A-Za-z0-9.:_-]{1,255}$',
    accepts: 'a host name or an IP address without brackets',
    description: 'MySQL 8 or MariaDB server. Absent: an embedded database in DATA_DIR.',
  }),
  dbPort: Type.Integer({ minimum: 1, maximum: 65_535, default: 3306, description: 'Port of the database server.' }),
  dbName: Type.String({ minLength: 1, maxLength: 64, default: 'portcullis', description: 'Database on the server.' }),
  dbUser: Type.String({ minLength: 1, description: 'User at the database server; needed with DB_HOST.' }),
  dbPass: Type.String({ minLength: 1, description: 'Password at the database server.' }),
  dbSsl: Type.Enum(['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'], {
    default: 'DISABLED',
    description:
      'TLS to the database: none, without a check, with a check of the certificate, or of certificate and host name.',
  }),
  dbSslCa: Type.String({
    minLength: 1,
    description: 'Certificates of the authorities to trust: a PEM text, or a path. Absent: those of Node.',
  }),
  dbSslCert: Type.String({ minLength: 1, description: "The gateway's own certificate: a PEM text, or a path." }),
  dbSslKey: Type.String({ minLength: 1, description: 'The private key of DB_SSL_CERT: a PEM text, or a path.' }),
  dbReaderHost: Type.String({
    pattern: '^[A-Za-z0-9.:_-]{1,255}$',
    accepts: 'a host name or an IP address without brackets',
    description: 'Replica that serves reads. Absent: DB_HOST does.',
  }),
  dbReaderPort: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Its port; absent: DB_PORT.' }),
  dbReaderUser: Type.String({ minLength: 1, description: 'User at the replica; absent: DB_USER.' }),
  dbReaderPass: Type.String({ minLength: 1, description: 'Password at the replica; absent: DB_PASS.' }),
  dbPoolSize: Type.Integer({
    minimum: 2,
    maximum: 1000,
    default: 12,
    description: 'Most connections of one process to each database server.',
  }),
  dbQueryMs: Type.Integer({
    minimum: 100,
    maximum: 600_000,
    default: 5000,
    description: 'Longest wait for one answer of the database server, in milliseconds.',
  }),
  migrateOnStart: Type.Boolean({
    default: true,
    description: 'Whether a start brings the schema of the database up to date; else `portcullis migrate` must.',
  }),
  encryptionKey: Type.String({
    pattern: '^([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})$',
    accepts: '32 random bytes, as base64 or as 64 hexadecimal digits',
    description:
      'Encrypts the keys that stored secrets are encrypted with. Needed with DB_HOST; the embedded database makes one in DATA_DIR.',
  }),
  previousEncryptionKey: Type.String({
    pattern: '^([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})$',
    accepts: '32 random bytes, as base64 or as 64 hexadecimal digits',
    description: 'The key before PORTCULLIS_ENCRYPTION_KEY, until `portcullis encryption rotate-key` has run.',
  }),
};
