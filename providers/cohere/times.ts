import { asString, type Json } from 'portcullis/sdk';

/** Unix seconds of an ISO 8601 date; undefined when it is none. */
export function secondsOf(value: Json | undefined): number | undefined {
  const ms = Date.parse(asString(value) ?? '');
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}
