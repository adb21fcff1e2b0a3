import { GatewayError } from '../errors.ts';

/** Epoch milliseconds: `from` <= t < `to`. */
export interface LogPeriod {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;
const longestDays = 1100;
const iso = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

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
    const moment = momentOf(given[name], `${param}${name}`);
    if (moment === undefined && standardDays === undefined)
      throw refusal(`${param}${name}`, `is required: ${accepted}`);
    return moment;
  };
  const asked = read('time_of_generation_min');
  const to = read('time_of_generation_max') ?? now;
  const from = asked ?? to - (standardDays ?? 0) * dayMs;
  if (from > to) throw refusal(`${param}time_of_generation_min`, 'must not be later than time_of_generation_max');
  if (to - from > longestDays * dayMs)
    throw refusal(
      `${param}time_of_generation_min`,
      `must be at most ${longestDays} days before time_of_generation_max`,
    );
  return { from, to };
}

const accepted = 'an ISO 8601 time such as 2026-01-31T00:00:00Z';

function momentOf(value: unknown, param: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const text = String(value);
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  // A plus sign in a query that was not escaped arrives as a blank.
  const written = text.replace(/(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/, '$1+$2');
  const moment = iso.test(written) ? Date.parse(zoned(written)) : Number.NaN;
  if (Number.isNaN(moment)) throw refusal(param, `must be ${accepted}`);
  return moment;
}

/** A time without a zone is UTC: what it means must not depend on where the gateway runs. */
function zoned(text: string): string {
  const strict = text.replace(' ', 'T');
  return strict.includes('T') && !/(Z|[+-]\d{2}:?\d{2})$/.test(strict) ? `${strict}Z` : strict;
}

function refusal(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
