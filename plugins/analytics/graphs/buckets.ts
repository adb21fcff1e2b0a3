import type { LogPeriod } from 'portcullis/sdk';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The widths of buckets, in milliseconds. */
const steps = [minute, 5 * minute, 15 * minute, hour] as const;
/** As many points as a graph shows well. */
const mostPoints = 180;

/**
 * The narrowest width that gives at most 180 buckets: a minute up to 3 hours, 5 minutes up to 15 hours, 15 minutes up to 45 hours, an hour up to 7.5 days, beyond that a day.
 * @param keptFrom requests before that are gone, and their figures are those of whole hours
 */
export function stepOf({ from, to }: LogPeriod, keptFrom: number): number {
  const narrowest = from < keptFrom ? hour : minute;
  return steps.find((step) => step >= narrowest && to - from <= step * mostPoints) ?? day;
}

/** The moment from which on requests are kept themselves. @param logDays 0: all are */
export function keptFromOf(now: number, logDays: number): number {
  return logDays === 0 ? Number.NEGATIVE_INFINITY : now - logDays * day;
}

/** The starts of all buckets of a period, those without any request too. They begin at multiples of their width in UTC. */
export function bucketsOf({ from, to }: LogPeriod, stepMs: number): readonly number[] {
  const first = Math.floor(from / stepMs) * stepMs;
  const count = Math.max(0, Math.ceil((to - first) / stepMs));
  return from === to ? [] : Array.from({ length: count }, (_, index) => first + index * stepMs);
}
