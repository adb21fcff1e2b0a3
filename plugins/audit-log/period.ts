import { GatewayError, queryMoment } from 'portcullis/sdk';

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
  const to = queryMoment(query.end_time, 'end_time') ?? now;
  const from = queryMoment(query.start_time, 'start_time') ?? to - 30 * dayMs;
  if (from > to) {
    throw new GatewayError('bad_request', 'start_time must not be later than end_time.', { param: 'start_time' });
  }
  return { from, to };
}
