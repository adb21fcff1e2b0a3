import { GatewayError } from 'portcullis/sdk';

/** How moments are written on the wire. */
export type Timestamps = 'unix' | 'iso';

const iso = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
/** Seconds of the year 5138: what is larger was meant as milliseconds. */
const mostSeconds = 1e11;
/** The end of the year 9999: later ones have no ISO 8601 form that is read here again. Epoch milliseconds. */
const latest = 253_402_300_799_999;

/** Unix seconds or ISO 8601 -> epoch milliseconds. @throws GatewayError `bad_request` naming the field */
export function readMoment(value: unknown, param: string): number {
  if (typeof value === 'number' && value >= 0 && value <= latest)
    return Math.floor(value < mostSeconds ? value * 1000 : value);
  const ms = typeof value === 'string' && iso.test(value) ? Date.parse(zoned(value)) : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw new GatewayError(
    'bad_request',
    `${param} must be a moment: ISO 8601 such as 2030-01-31T00:00:00Z, or Unix seconds.`,
    { param },
  );
}

/** Without a zone a moment is UTC: the zone of the server is nobody's. */
function zoned(text: string): string {
  const full = text.replace(' ', 'T');
  return /T.*(Z|[+-]\d{2}:?\d{2})$/.test(full) || !full.includes('T') ? full : `${full}Z`;
}

export function writeMoment(ms: number, wire: Timestamps): number | string {
  return wire === 'iso' ? new Date(ms).toISOString() : Math.floor(ms / 1000);
}
