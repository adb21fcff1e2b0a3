import { asObject, type Json, type JsonObject } from '../json.ts';

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

/**
 * A file, batch or job (or a list of them in `data`) whose fields named `..._at` are integer Unix seconds. Times that are
 * none stay as they are. Gives its input where there is nothing to do.
 */
export function withUnixTimes(json: JsonObject): JsonObject {
  const read = Object.entries(json).map(([name, value]) => [name, timed(name, value)] as const);
  return read.every(([name, value]) => value === json[name]) ? json : Object.fromEntries(read);
}

function timed(name: string, value: Json): Json {
  if (name.endsWith('_at')) return unixSeconds(value) ?? value;
  if (name !== 'data' || !Array.isArray(value)) return value;
  const read = (value as readonly Json[]).map((item) => {
    const object = asObject(item);
    return object === undefined ? item : withUnixTimes(object);
  });
  return read.every((item, index) => item === value[index]) ? value : read;
}
