import type { IncomingMessage } from 'node:http';
import { GatewayError } from 'portcullis/sdk';

export const realtimePath = '/v1/realtime';

/** What Node may hand over as an upgrade. Any other one, such as that of HTTP/2, is a request whose offer is passed over. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

/** Sixteen bytes in base64 (RFC 6455 §4.1). */
const key = /^[+/0-9A-Za-z]{22}==$/;

/**
 * What a handshake must bring before anything is done for it (RFC 6455 §4.2.1).
 * @throws GatewayError `bad_request`, with 426 where another version or a WebSocket at all is needed
 */
export function checkHandshake(request: IncomingMessage): void {
  const { headers } = request;
  // Versions of Node that cannot tell upgrades apart hand over every one.
  if (!asksForWebSocket(request)) throw upgradeRequired();
  if (headers['sec-websocket-version'] !== '13') {
    throw new GatewayError('bad_request', 'Only version 13 of the WebSocket protocol is spoken here.', {
      status: 426,
      param: 'sec-websocket-version',
      headers: { 'sec-websocket-version': '13', upgrade: 'websocket' },
    });
  }
  if (key.test(headers['sec-websocket-key'] ?? '')) return;
  const text = 'The header Sec-WebSocket-Key must hold 16 bytes in base64.';
  throw new GatewayError('bad_request', text, { param: 'sec-websocket-key' });
}

/** For those who ask for a session without asking for a WebSocket. */
export function upgradeRequired(): GatewayError {
  const text = `${realtimePath} is a WebSocket: send a GET with the headers Connection: Upgrade and Upgrade: websocket.`;
  return new GatewayError('bad_request', text, { status: 426, headers: { upgrade: 'websocket' } });
}
