import { GatewayError, isoMoment } from 'portcullis/sdk';

/** How moments are written on the wire. */
export type Timestamps = 'unix' | 'iso';

/** Seconds of the year 5138: what is larger was meant as milliseconds. */
const mostSeconds = 1e11;
/** The end of the year 9999: later ones have no ISO 8601 form that is read here again. Epoch milliseconds. */
const latest = 253_402_300_799_999;

/** Unix seconds or ISO 8601 -> epoch milliseconds. @throws GatewayError `bad_request` naming the field */
export function readMoment(value: unknown, param: string): number {
  if (typeof value === 'number' && value >= 0 && value <= latest)
    return Math.floor(value < mostSeconds ? value * 1000 : value);
  const ms = typeof value === 'string' ? isoMoment(value) : undefined;
  if (ms !== undefined) return ms;
  throw new GatewayError(
    'bad_request',
    `${param} must be a moment: ISO 8601 of a day that exists, such as 2030-01-31T00:00:00Z, or Unix seconds.`,
    { param },
  );
}

export function writeMoment(ms: number, wire: Timestamps): number | string {
  return wire === 'iso' ? new Date(ms).toISOString() : Math.floor(ms / 1000);
}
