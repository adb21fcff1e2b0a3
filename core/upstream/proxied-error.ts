import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Outcome } from 'portcullis/sdk';
import { masked } from './call-secrets.ts';
import type { Outbound } from './outbound.ts';

type Decode = (bytes: Uint8Array) => Uint8Array;

/** Longer than any error is. */
const maxOutputLength = 1024 * 1024;

/** What is cut off is read as far as it goes: a client can do so too. */
const zlib = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const zstd = { maxOutputLength, finishFlush: constants.ZSTD_e_flush };

/** By content encoding (RFC 9110 §8.4.1, RFC 8878). */
const decoders = new Map<unknown, Decode>([
  ['gzip', (bytes) => gunzipSync(bytes, zlib)],
  ['x-gzip', (bytes) => gunzipSync(bytes, zlib)],
  ['deflate', (bytes) => inflateSync(bytes, zlib)],
  ['br', (bytes) => brotliDecompressSync(bytes, brotli)],
  ['zstd', (bytes) => zstdDecompressSync(bytes, zstd)],
]);

interface Passed {
  readonly bytes: Uint8Array;
  readonly headers: Outcome['headers'];
}

/** An error that passes as it came, unless it repeats the key that was refused: then without that, and not compressed. */
export function proxiedError(bytes: Uint8Array, headers: Outcome['headers'], outbound: Outbound): Passed {
  const plain = decoded(bytes, headers['content-encoding']);
  if (plain === undefined || plain.length > maxOutputLength) return { bytes, headers };
  // Whatever the bytes are of, each is one character here, and comes back as itself.
  const text = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString('latin1');
  const told = masked(text, outbound);
  if (told === text) return { bytes, headers };
  const { 'content-encoding': _, ...kept } = headers;
  return { bytes: Buffer.from(told, 'latin1'), headers: kept };
}

/** A redirect may repeat the query that was asked, and a key in it. */
export function proxiedHeaders(headers: Outcome['headers'], outbound: Outbound): Outcome['headers'] {
  const { location } = headers;
  return typeof location === 'string' ? { ...headers, location: masked(location, outbound) } : headers;
}

/** Undefined: it is in an encoding that nobody has asked for, or broken. */
function decoded(bytes: Uint8Array, encoding: unknown): Uint8Array | undefined {
  if (encoding === undefined || encoding === 'identity') return bytes;
  try {
    return decoders.get(encoding)?.(bytes);
  } catch {
    return undefined;
  }
}
