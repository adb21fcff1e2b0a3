import type { WireHeaders } from './transport.ts';

/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, `x-ms-retry-after-ms`, then `retry-after` in seconds
 * or as an HTTP date (RFC 9110 §10.2.3). undefined when it does not say, or says nonsense.
 */
export function retryAfterMs(headers: WireHeaders, nowMs: number): number | undefined {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const ms = numberOf(headers[name]);
    if (ms !== undefined) return ms;
  }
  const seconds = numberOf(headers['retry-after']);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const value = headers['retry-after'];
  const date = typeof value === 'string' ? dateOf(value.trim()) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** The three forms of RFC 9110 §5.6.7; the parser alone would take `-5` for a year. */
function dateOf(value: string): number {
  if (/^[a-z]{3,9}, .+ GMT$/i.test(value)) return Date.parse(value);
  return /^[a-z]{3} [a-z]{3} [\d ]\d /i.test(value) ? Date.parse(`${value} GMT`) : Number.NaN;
}

function numberOf(value: string | readonly string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}
