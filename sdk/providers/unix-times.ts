import { asObject, type Json, type JsonObject } from '../json.ts';
import { unixSeconds } from '../unix-seconds.ts';

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
