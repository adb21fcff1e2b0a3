import { type CheckInput, GatewayError } from 'portcullis/sdk';

/**
 * @throws GatewayError `check_failed` for a proxied request with a body: that passes unread, and may ask for whatever
 * should not be asked for
 */
export function refuseUnread({ endpoint, headers }: CheckInput): void {
  if (endpoint !== 'proxy') return;
  // RFC 9112 §6.3: a body is told by one of two headers.
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
  throw new GatewayError('check_failed', 'The body of a proxied request passes unread: what it asks for is not known.');
}
