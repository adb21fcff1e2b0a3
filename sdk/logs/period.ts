import { GatewayError } from '../errors.ts';
import { isoMoment } from '../iso-moment.ts';

/** Epoch milliseconds: `from` <= t < `to`. */
export interface LogPeriod {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;
const longestDays = 1100;

/**
 * The stretch of time that `time_of_generation_min` and `time_of_generation_max` name: ISO 8601, or Unix seconds. Where
 * they may be left out, the end is now and the beginning `standardDays` before the end.
 * @throws GatewayError `bad_request` naming the parameter
 */
export function readPeriod(
  given: Readonly<Record<string, unknown>>,
  { now, standardDays, param = '' }: { readonly now: number; readonly standardDays?: number; readonly param?: string },
): LogPeriod {
  const read = (name: string): number | undefined => {
    const moment = queryMoment(given[name], `${param}${name}`);
    if (moment === undefined && standardDays === undefined)
      throw refusal(`${param}${name}`, `is required: ${accepted}`);
    return moment;
  };
  const asked = read('time_of_generation_min');
  const end = read('time_of_generation_max');
  const to = end ?? now;
  const from = asked ?? to - (standardDays ?? 0) * dayMs;
  const latest = end === undefined ? 'now, where time_of_generation_max is left out' : 'time_of_generation_max';
  if (from > to) throw refusal(`${param}time_of_generation_min`, `must not be later than ${latest}`);
  if (to - from > longestDays * dayMs)
    throw refusal(
      `${param}time_of_generation_min`,
      `must be at most ${longestDays} days before time_of_generation_max`,
    );
  return { from, to };
}

const accepted = 'an ISO 8601 time of a day that exists, such as 2026-01-31T00:00:00Z';

/** A moment of a query: ISO 8601 or Unix seconds; undefined where it is left out. @throws GatewayError `bad_request` naming the parameter */
export function queryMoment(value: unknown, param: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const text = String(value);
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  // A plus sign in a query that was not escaped arrives as a blank.
  const moment = isoMoment(text.replace(/(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/, '$1+$2'));
  if (moment === undefined) throw refusal(param, `must be ${accepted}`);
  return moment;
}

function refusal(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
