import { cosineAt, Nearest, type Pointer, type VectorIndex } from './vector-index.ts';

/** Vectors of a partition; then the one that has been there longest gives way. They are all looked at each time. */
const mostInPartition = 2_000;
const firstRoom = 4;
/** What a vector takes beside its numbers. */
const overheadBytes = 160;

/** Vectors in the memory of this process, within so many bytes; the partition that was used least recently goes first. */
export class EmbeddedIndex implements VectorIndex {
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #partitions = new Map<string, Partition>();
  #bytes = 0;

  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  nearest(name: string, vector: Float32Array, threshold: number): readonly string[] {
    const partition = this.#partitions.get(name);
    if (partition === undefined || partition.dimensions !== vector.length) return [];
    this.#touch(name, partition);
    return partition.nearest(vector, threshold, this.#now());
  }

  add(name: string, pointer: Pointer): void {
    const known = this.#partitions.get(name);
    // Another model was configured: what it makes cannot be compared.
    const fits = known?.dimensions === pointer.vector.length;
    if (known !== undefined && !fits) this.#remove(name, known);
    const partition = known !== undefined && fits ? known : new Partition(pointer.vector.length);
    this.#bytes -= this.#partitions.has(name) ? partition.bytes : 0;
    partition.add(pointer);
    this.#bytes += partition.bytes;
    this.#touch(name, partition);
    for (const [oldest, held] of this.#partitions) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest, held);
    }
  }

  #touch(name: string, partition: Partition): void {
    this.#partitions.delete(name);
    this.#partitions.set(name, partition);
  }

  #remove(name: string, partition: Partition): void {
    this.#partitions.delete(name);
    this.#bytes -= partition.bytes;
  }
}

class Partition {
  readonly dimensions: number;
  #vectors: Float32Array;
  readonly #pointers: { readonly key: string; readonly endsAt: number }[] = [];
  /** Where the next one goes once all places are taken. */
  #oldest = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#vectors = new Float32Array(firstRoom * dimensions);
  }

  get bytes(): number {
    return this.#vectors.byteLength + this.#pointers.length * overheadBytes;
  }

  nearest(vector: Float32Array, threshold: number, now: number): readonly string[] {
    const nearest = new Nearest(threshold);
    for (const [place, { key, endsAt }] of this.#pointers.entries()) {
      if (endsAt > now) nearest.see(cosineAt(this.#vectors, place * this.dimensions, vector), () => key);
    }
    return nearest.keys;
  }

  add({ vector, key, endsAt }: Pointer): void {
    const place = this.#placeFor(key);
    const needed = (place + 1) * this.dimensions;
    if (needed > this.#vectors.length) {
      const grown = new Float32Array(Math.min(needed * 2, mostInPartition * this.dimensions));
      grown.set(this.#vectors);
      this.#vectors = grown;
    }
    this.#vectors.set(vector, place * this.dimensions);
    this.#pointers[place] = { key, endsAt };
  }

  #placeFor(key: string): number {
    const known = this.#pointers.findIndex((pointer) => pointer.key === key);
    if (known !== -1) return known;
    if (this.#pointers.length < mostInPartition) return this.#pointers.length;
    const place = this.#oldest;
    this.#oldest = (place + 1) % mostInPartition;
    return place;
  }
}
