import type { Json } from './json.ts';

/** From here on a number of this size counts milliseconds: as seconds it would be in the year 5138. */
const leastMs = 100_000_000_000;

/** Integer Unix seconds of a time as servers write them: seconds, milliseconds, either as text, or ISO 8601. */
export function unixSeconds(time: Json | undefined): number | undefined {
  if (typeof time === 'number') return Math.floor(time >= leastMs ? time / 1000 : time);
  if (typeof time !== 'string' || time === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(time)) return unixSeconds(Number(time));
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}
