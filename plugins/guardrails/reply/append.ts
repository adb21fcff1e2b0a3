import type { JsonObject, Outcome } from 'portcullis/sdk';

const braceClose = 0x7d;
const braceOpen = 0x7b;
/** The first of its three bytes, with which no JSON begins. */
const byteOrderMark = 0xef;

/** The JSON object with the results as its last member; bytes that are no object stay as they are. */
export function withResults(bytes: Uint8Array, results: JsonObject): Uint8Array {
  let end = bytes.length - 1;
  while (end > 0 && isSpace(bytes[end])) end -= 1;
  let start = bytes[0] === byteOrderMark ? 3 : 0;
  while (start < end && isSpace(bytes[start])) start += 1;
  if (bytes[start] !== braceOpen || bytes[end] !== braceClose) return bytes;
  let last = end - 1;
  while (last > start && isSpace(bytes[last])) last -= 1;
  const name = last === start ? '"hook_results":' : ',"hook_results":';
  const json = JSON.stringify(results);
  const whole = Buffer.allocUnsafe(end + name.length + Buffer.byteLength(json) + 1);
  whole.set(end === bytes.length ? bytes : bytes.subarray(0, end));
  whole.write(name, end, 'latin1');
  whole.write(json, end + name.length, 'utf8');
  whole[whole.length - 1] = braceClose;
  return whole;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function isJson({ headers }: Outcome): boolean {
  return /json/i.test(String(headers['content-type'] ?? ''));
}

export function isEventStream({ headers }: Outcome): boolean {
  return /text\/event-stream/i.test(String(headers['content-type'] ?? ''));
}
