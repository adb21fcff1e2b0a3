import { isIP, type LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { checkLiteral, type Destination, type Resolve, resolveChecked } from './resolution.ts';
import { bareHost, portOf } from './url-text.ts';

/** What a connection may be given; everything that could lead it elsewhere (lookup, socket path) is left out. */
export interface ConnectorOptions extends Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase'> {
  /** Milliseconds for resolving, connecting and the TLS handshake together. Default 10,000. */
  readonly timeout?: number;
  /** Whether TLS connections may settle on HTTP/2. Default: undici's. */
  readonly allowH2?: boolean;
}

/** Judges a host and port by their text; throws `url_blocked`, returns whether the operator trusts them. */
export type JudgeHost = (host: string, port: number, field: string) => boolean;

/** A pool is shared by the requests to one origin, so at this point no request's own field is known. */
const field = 'The URL to call';

export function createConnector(
  judgeHost: JudgeHost,
  resolve: Resolve,
  options: ConnectorOptions,
): buildConnector.connector {
  // Two connectors for the two levels of trust, not one per connection: each keeps a cache of TLS sessions.
  const trustedConnect = buildConnector({ ...options, lookup: checkingLookup(resolve, true) });
  const untrustedConnect = buildConnector({ ...options, lookup: checkingLookup(resolve, false) });

  return (target, callback) => {
    const host = bareHost(target.hostname);
    let trusted: boolean;
    try {
      trusted = judgeHost(host, portOf(target.port, target.protocol), field);
      // Node never calls lookup for an address.
      if (isIP(host)) checkLiteral({ host, trusted, field });
    } catch (error) {
      // Never called back before the connector returns: undici's own connectors do not do so either.
      queueMicrotask(() => callback(error instanceof Error ? error : new Error(String(error)), null));
      return;
    }
    const connect = trusted ? trustedConnect : untrustedConnect;
    connect(target, callback);
  };
}

/** The only resolution of a connection: what is checked here is what the socket connects to. */
function checkingLookup(resolve: Resolve, trusted: boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    const to: Destination = { host: bareHost(hostname), trusted, field };
    resolveChecked(resolve, to).then(
      (addresses) => {
        const [first] = addresses;
        if (all)
          callback(
            null,
            addresses.map((entry) => ({ ...entry })),
          );
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
