import type { SharedRedis } from 'portcullis/sdk';
import { cosineAt, Nearest, type Pointer, type VectorIndex } from './vector-index.ts';

const prefix = 'vectors:';
/** Of one partition: it is read whole for each question. */
const maxBytes = 1024 * 1024;
const keyBytes = 32;
const endBytes = 8;

/**
 * Vectors in the operator's Redis, a value a partition: for each vector the end of its reply, the reply's key, and its
 * numbers as 32-bit floats, youngest first. Two processes that write at once may lose one of two vectors, which is a miss
 * later; what is found is as right as ever.
 */
export class RedisIndex implements VectorIndex {
  readonly #redis: SharedRedis;
  readonly #now: () => number;

  constructor(redis: SharedRedis, now: () => number) {
    this.#redis = redis;
    this.#now = now;
  }

  async nearest(partition: string, vector: Float32Array, threshold: number): Promise<readonly string[]> {
    const value = await this.#redis.get(prefix + partition);
    const nearest = new Nearest(threshold);
    for (const item of itemsIn(value, vector.length)) {
      if (endOf(item) <= this.#now()) continue;
      nearest.see(cosineAt(numbersOf(item), 0, vector), () => keyIn(item));
    }
    return nearest.keys;
  }

  async add(partition: string, pointer: Pointer): Promise<void> {
    const value = await this.#redis.get(prefix + partition);
    const now = this.#now();
    const added = packedItem(pointer);
    const others = [...itemsIn(value, pointer.vector.length)].filter(
      (item) => endOf(item) > now && keyIn(item) !== pointer.key,
    );
    const kept = [added, ...others].slice(0, Math.max(1, Math.floor(maxBytes / added.length)));
    const ttlMs = Math.max(...kept.map(endOf)) - now;
    if (ttlMs >= 1) await this.#redis.set(prefix + partition, Buffer.concat(kept), ttlMs);
  }
}

function packedItem({ vector, key, endsAt }: Pointer): Buffer {
  const head = Buffer.alloc(endBytes);
  head.writeDoubleLE(endsAt);
  const numbers = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) numbers.writeFloatLE(value, index * 4);
  return Buffer.concat([head, Buffer.from(key, 'hex'), numbers]);
}

/** None where the value is of vectors of another length. */
function* itemsIn(value: Uint8Array | undefined, dimensions: number): Generator<Buffer> {
  const itemBytes = endBytes + keyBytes + dimensions * 4;
  if (value === undefined || value.byteLength % itemBytes !== 0) return;
  const buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  for (let start = 0; start < buffer.length; start += itemBytes) yield buffer.subarray(start, start + itemBytes);
}

function endOf(item: Buffer): number {
  return item.readDoubleLE(0);
}

function keyIn(item: Buffer): string {
  return item.toString('hex', endBytes, endBytes + keyBytes);
}

function numbersOf(item: Buffer): Float32Array {
  const bytes = item.subarray(endBytes + keyBytes);
  // Copied, for a view of floats must begin at a multiple of four.
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
