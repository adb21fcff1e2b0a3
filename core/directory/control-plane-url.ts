import { isIP } from 'node:net';
import { GatewayError } from 'portcullis/sdk';

/**
 * Checks where the control plane stands. Its replies hold credentials, so they do not travel in clear unless the
 * operator says so.
 * @throws GatewayError `invalid_config`
 */
export function controlPlaneUrl(text: string, insecure: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username + url.password !== ''
  )
    refuse('CONTROL_PLANE_URL must be an http or https URL without user and password.');
  if (url.protocol === 'https:' || isLoopback(url.hostname) || insecure) return url;
  refuse(
    `CONTROL_PLANE_URL is plain http to ${url.hostname}: credentials would travel in clear. Use https, or set CONTROL_PLANE_INSECURE=true where the network itself is private.`,
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (hostname.startsWith('127.') && isIP(hostname) === 4);
}

function refuse(message: string): never {
  throw new GatewayError('invalid_config', message, { param: 'CONTROL_PLANE_URL' });
}
