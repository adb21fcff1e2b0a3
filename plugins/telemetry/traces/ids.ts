import { createHash } from 'node:crypto';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * The trace as the standard writes it, 32 hex digits: of 32 hex digits or of a UUID the digits themselves, of any other text
 * the first half of its SHA-256. The gateway tells providers the same (`traceparent`).
 */
export function w3cTraceId(traceId: string): string {
  const plain = uuid.test(traceId) ? traceId.replaceAll('-', '').toLowerCase() : traceId.toLowerCase();
  if (/^(?!0{32})[0-9a-f]{32}$/.test(plain)) return plain;
  return createHash('sha256').update(traceId).digest('hex').slice(0, 32);
}

/** 16 hex digits, not all zero. */
export function isSpanId(text: string): boolean {
  return /^(?!0{16})[0-9a-f]{16}$/.test(text);
}

/** The id of a part of a span: its own, counted on. */
export function childSpanId(spanId: string, index: number): string {
  const low = (Number.parseInt(spanId.slice(12), 16) + index + 1) % 0x10000;
  const id = spanId.slice(0, 12) + low.toString(16).padStart(4, '0');
  return isSpanId(id) ? id : '0000000000000001';
}
