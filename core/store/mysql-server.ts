import { isIP } from 'node:net';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import { GatewayError } from 'portcullis/sdk';
import type { Endpoint } from './options.ts';

export const connectTimeoutMs = 3000;

/**
 * The driver's options: answers come as SQLite gives them, JSON as text and sums as numbers.
 * @throws GatewayError `invalid_config` where the identity of an address is to be verified
 */
export function serverOptions({ host, port, user, password, tls }: Endpoint, database: string): ConnectionOptions {
  if (tls?.mode === 'VERIFY_IDENTITY' && isIP(host) !== 0) {
    // For an address the driver would check the certificate against the name "localhost".
    const text = `VERIFY_IDENTITY needs the database server's host name, and ${host} is an address. Name the host, or use VERIFY_CA.`;
    throw new GatewayError('invalid_config', text, { param: 'DB_SSL' });
  }
  return {
    host,
    port,
    user,
    password,
    database,
    charset: 'utf8mb4',
    timezone: 'Z',
    jsonStrings: true,
    decimalNumbers: true,
    supportBigNumbers: true,
    connectTimeout: connectTimeoutMs,
    enableKeepAlive: true,
    ...(tls === undefined ? {} : { ssl: sslOptions(tls) }),
  };
}

function sslOptions({ mode, ca, cert, key }: NonNullable<Endpoint['tls']>): SslOptions {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: mode !== 'REQUIRED',
    verifyIdentity: mode === 'VERIFY_IDENTITY',
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
