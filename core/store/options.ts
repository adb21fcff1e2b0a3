import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import { type EnvironmentValues, environmentTable } from '../config/env.ts';

export type TlsMode = 'REQUIRED' | 'VERIFY_CA' | 'VERIFY_IDENTITY';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** `ca`, `cert` and `key` are PEM texts. Absent: no TLS. */
  readonly tls?: { readonly mode: TlsMode; readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export type StoreOptions =
  | {
      readonly kind: 'sqlite';
      /** A path, or `:memory:`. */
      readonly file: string;
    }
  | {
      readonly kind: 'mysql';
      readonly database: string;
      readonly writer: Endpoint;
      /** A replica. Absent: the writer serves reads as well. */
      readonly reader?: Endpoint;
      /** Connections to each endpoint. */
      readonly poolSize: number;
      /** Default 5000. */
      readonly queryTimeoutMs?: number;
    };

type Values = EnvironmentValues;

/**
 * The database that the environment names: MySQL or MariaDB where DB_HOST is set, else a file in DATA_DIR.
 * @throws GatewayError `invalid_config` when something that goes with DB_HOST is missing or cannot be read
 */
export function storeOptionsOf(environment: Values): StoreOptions {
  const { DB_HOST: host } = environment;
  if (host === undefined) return { kind: 'sqlite', file: join(dataDirOf(environment), 'portcullis.db') };
  const tls = tlsOf(environment);
  const writer: Endpoint = {
    host,
    port: setting(environment, 'DB_PORT'),
    user: needed(environment, 'DB_USER'),
    password: environment.DB_PASS ?? '',
    ...(tls === undefined ? {} : { tls }),
  };
  const reader = readerOf(environment, writer);
  return {
    kind: 'mysql',
    database: setting(environment, 'DB_NAME'),
    writer,
    ...(reader === undefined ? {} : { reader }),
    poolSize: setting(environment, 'DB_POOL_SIZE'),
    queryTimeoutMs: setting(environment, 'DB_QUERY_TIMEOUT'),
  };
}

/** The folder of what the gateway stores by itself. */
export function dataDirOf(environment: Values): string {
  return setting(environment, 'DATA_DIR');
}

function setting<N extends keyof Values>(environment: Values, name: N): NonNullable<Values[N]> {
  return environment[name] ?? (environmentTable[name].default as NonNullable<Values[N]>);
}

function needed(environment: Values, name: 'DB_USER'): string {
  const value = environment[name];
  if (value !== undefined) return value;
  throw new GatewayError('invalid_config', `DB_HOST is set, so ${name} must be set as well.`, { param: name });
}

function readerOf(environment: Values, writer: Endpoint): Endpoint | undefined {
  const { DB_READER_HOST: host, DB_READER_PORT: port, DB_READER_USER: user, DB_READER_PASS: password } = environment;
  if (host === undefined) return undefined;
  return {
    ...writer,
    host,
    port: port ?? writer.port,
    user: user ?? writer.user,
    password: password ?? writer.password,
  };
}

function tlsOf(environment: Values): Endpoint['tls'] {
  const { DB_SSL: mode } = environment;
  if (mode === undefined || mode === 'DISABLED') return undefined;
  const ca = pemOf('DB_SSL_CA', environment);
  const cert = pemOf('DB_SSL_CERT', environment);
  const key = pemOf('DB_SSL_KEY', environment);
  if ((cert === undefined) !== (key === undefined)) {
    throw new GatewayError('invalid_config', 'DB_SSL_CERT and DB_SSL_KEY go together.', { param: 'DB_SSL_CERT' });
  }
  return {
    mode,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

function pemOf(name: 'DB_SSL_CA' | 'DB_SSL_CERT' | 'DB_SSL_KEY', environment: Values): string | undefined {
  const value = environment[name];
  if (value === undefined || value.startsWith('-----BEGIN ')) return value?.replaceAll('\\n', '\n');
  try {
    return readFileSync(value, 'utf8');
  } catch (cause) {
    const text = `${name} must be a PEM text or the path of a file that can be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'}).`;
    throw new GatewayError('invalid_config', text, { param: name, cause });
  }
}
