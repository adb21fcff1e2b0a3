import type { WireHeaders } from './transport.ts';

/**
 * Whether the head tells where the body ends, so that a body that was cut off has failed already. Else the end of the
 * connection ends it, and a connection that breaks looks just the same.
 */
export function isDelimited(headers: WireHeaders): boolean {
  return headers['content-length'] !== undefined || /\bchunked\s*$/i.test(String(headers['transfer-encoding'] ?? ''));
}
