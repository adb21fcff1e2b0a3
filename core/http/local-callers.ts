import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from 'portcullis/sdk';
import type { ServerConfig } from '../config/gateway-config.ts';

/** Names under which this machine reaches itself; the port does not matter. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * A gateway without keys trusts whoever is on this machine, and a web page in a browser on it is not meant: it could reach
 * loopback by a name of its own (DNS rebinding), or simply post across origins.
 * @throws GatewayError `forbidden`
 */
export function refuseForeignPages({ host, origin }: IncomingHttpHeaders, cors: ServerConfig['cors']): void {
  if (host !== undefined && !loopback.test(host)) {
    const text = `Without API keys the gateway answers to localhost only, not to the host "${host.slice(0, 100)}".`;
    throw new GatewayError('forbidden', text, { param: 'host' });
  }
  if (origin === undefined || loopback.test(origin.replace(/^https?:\/\//, ''))) return;
  if (cors.enabled && (cors.origins.includes('*') || cors.origins.includes(origin))) return;
  const text = `Without API keys the gateway takes no requests from pages of "${origin.slice(0, 100)}"; server.cors can allow them.`;
  throw new GatewayError('forbidden', text, { param: 'origin' });
}

/** Whether an address to listen on is this machine's alone. */
export function isLoopback(host: string | undefined): boolean {
  return host === 'localhost' || host === '::1' || host?.startsWith('127.') === true;
}
