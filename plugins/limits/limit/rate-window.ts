import { type Period, type RateLimits, startOfWeek } from 'portcullis/sdk';

type Unit = RateLimits['unit'];

const lengths: Readonly<Record<Exclude<Unit, 'rpw'>, number>> = {
  rps: 1000,
  rpm: 60_000,
  rph: 3_600_000,
  rpd: 86_400_000,
};
const weekMs = 7 * 86_400_000;

/** As sentences have it: `10 requests per minute`. */
export const unitWords: Readonly<Record<Unit, string>> = {
  rps: 'second',
  rpm: 'minute',
  rph: 'hour',
  rpd: 'day',
  rpw: 'week',
};

/** The window that a moment falls into: each begins with its second, minute, hour, day or, on Monday, week of UTC. */
export function rateWindow(unit: Unit, now: number): Period & { readonly end: number } {
  if (unit === 'rpw') {
    const start = startOfWeek(now);
    return { start, end: start + weekMs };
  }
  const length = lengths[unit];
  const start = now - (now % length);
  return { start, end: start + length };
}
