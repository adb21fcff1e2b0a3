import { GatewayError } from 'portcullis/sdk';

const dayMs = 86_400_000;

export interface Period {
  /** Epoch milliseconds, both included. */
  readonly from: number;
  readonly to: number;
}

/**
 * The time that a query asks for: ISO 8601 or Unix seconds; without a start, the 30 days before the end.
 * @throws GatewayError `bad_request` naming the parameter
 */
export function periodOf(query: Readonly<Record<string, string>>, now: number): Period {
  const to = momentOf(query.end_time, 'end_time') ?? now;
  const from = momentOf(query.start_time, 'start_time') ?? to - 30 * dayMs;
  if (from > to) {
    throw new GatewayError('bad_request', 'start_time must not be later than end_time.', { param: 'start_time' });
  }
  return { from, to };
}

const iso = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function momentOf(text: string | undefined, param: string): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  const moment = iso.test(text) ? Date.parse(zoned(text)) : Number.NaN;
  if (Number.isNaN(moment)) {
    throw new GatewayError('bad_request', `${param} must be an ISO 8601 time, such as 2026-01-31T00:00:00Z.`, {
      param,
    });
  }
  return moment;
}

/** A time without a zone is UTC: what it means must not depend on where the gateway runs. */
function zoned(text: string): string {
  const strict = text.replace(' ', 'T');
  return strict.includes('T') && !/(Z|[+-]\d{2}:?\d{2})$/.test(strict) ? `${strict}Z` : strict;
}
