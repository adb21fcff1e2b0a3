import type { Timings } from 'portcullis/sdk';

/**
 * The `server-timing` header (W3C Server Timing) with each stage that took time, and the milliseconds that were not the
 * provider's.
 */
export function serverTiming(
  timings: Timings,
  elapsedMs: number,
): { readonly value: string; readonly overheadMs: string } {
  const stages = [
    ['parse', timings.parse],
    ['prepare', timings.prepare],
    ['guardrails-before', timings.guardrailsBefore],
    ['cache', timings.cache],
    ['upstream', timings.upstream],
    ['guardrails-after', timings.guardrailsAfter],
    ['total', elapsedMs],
  ] as const;
  const value = stages
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(2)}`)
    .join(', ');
  return { value, overheadMs: Math.max(0, elapsedMs - timings.upstream).toFixed(2) };
}
