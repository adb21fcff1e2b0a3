import type { Attempt, Timings } from 'portcullis/sdk';
import { compact } from 'portcullis/sdk/json';

const perMs = 1000;

/** Parts of a request as lists of values: half the work, and half the bytes, of the same with names. */
export type FlatTimings = readonly [number, number, number, number, number, number, number | null];
/** `begun` and `spent` of earlier versions are milliseconds, the first since the epoch; with `per`, see `flatAttempt`. */
export type FlatAttempt = readonly [
  target: string,
  provider: string | null,
  status: number,
  begun: number,
  spent: number,
  error: string | null,
  per?: number,
];

/**
 * In whole microseconds: digits beyond them are noise, and take as long as all the rest. Written out, for it is made on
 * the serving loop, and a loop over names takes as long as the JSON.
 */
export function flatTimings(spent: Timings): readonly unknown[] {
  const { firstByte } = spent;
  return [
    Math.round(spent.parse * perMs),
    Math.round(spent.prepare * perMs),
    Math.round(spent.guardrailsBefore * perMs),
    Math.round(spent.cache * perMs),
    Math.round(spent.upstream * perMs),
    Math.round(spent.guardrailsAfter * perMs),
    firstByte === undefined ? null : Math.round(firstByte * perMs),
  ];
}

/** @param per how many of their units make a millisecond */
export function timingsOf(flat: FlatTimings, per = perMs): Timings {
  const [parse, prepare, guardrailsBefore, cache, upstream, guardrailsAfter, first] = flat;
  return {
    parse: parse / per,
    prepare: prepare / per,
    guardrailsBefore: guardrailsBefore / per,
    cache: cache / per,
    upstream: upstream / per,
    guardrailsAfter: guardrailsAfter / per,
    ...((first === null ? {} : { firstByte: first / per }) as Pick<Timings, 'firstByte'>),
  };
}

/** Its beginning since that of its request, in whole units of which so many make a millisecond, as its duration. */
export function flatAttempt(
  { target, provider, status, startedAt, durationMs, error }: Attempt,
  createdAt: number,
): readonly unknown[] {
  const [begun, spent] = [Math.round((startedAt - createdAt) * perMs), Math.round(durationMs * perMs)];
  return [target, provider, status, begun, spent, error, perMs];
}

export function attemptsOf(flat: readonly FlatAttempt[], createdAt: number): readonly Attempt[] {
  return flat.map(([target, provider, status, begun, spent, error, per]) => {
    const optional = compact({ provider: provider ?? undefined, error: error ?? undefined });
    const [startedAt, durationMs] = per === undefined ? [begun, spent] : [createdAt + begun / per, spent / per];
    return { target, ...optional, status, startedAt, durationMs } as Attempt;
  });
}
