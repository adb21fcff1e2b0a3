import type { Json, JsonObject } from 'portcullis/sdk';

/** Most bytes that one UTF-16 unit takes in JSON: as an escape. */
const bytesPerUnit = 6;
const bytesPerValue = 32;

/** Whether a value has at most so many bytes of JSON. Small ones, as most are, are not written for that. */
export function isWithin(value: Json, bytes: number): boolean {
  return room(value, bytes) >= 0 || Buffer.byteLength(JSON.stringify(value)) <= bytes;
}

/** What is left of the bytes after the most that the value can take; below 0 when it may take more. */
function room(value: Json, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length * bytesPerUnit - 2;
  if (typeof value !== 'object' || value === null) return bytes - bytesPerValue;
  let left = bytes - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) left = room(value[index] ?? null, left - 2);
    return left;
  }
  const object = value as JsonObject;
  for (const name in object) {
    left = room(object[name] ?? null, left - name.length * bytesPerUnit - 4);
    if (left < 0) break;
  }
  return left;
}
