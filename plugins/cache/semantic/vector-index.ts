import type { MaybePromise } from 'portcullis/sdk';

/** A vector of length 1, and the reply that it leads to. */
export interface Pointer {
  readonly vector: Float32Array;
  /** Key of the reply. */
  readonly key: string;
  /** Epoch milliseconds at which the reply is forgotten. */
  readonly endsAt: number;
}

/**
 * Finds replies by the meaning of their requests. Partitions never meet. What an index loses is a miss, and no more: the
 * reply itself is looked up by its key.
 */
export interface VectorIndex {
  /** Keys of the replies whose cosine is at least the threshold, nearest first, at most three. */
  nearest(partition: string, vector: Float32Array, threshold: number): MaybePromise<readonly string[]>;
  /** Another vector of the same key takes the place of the first. */
  add(partition: string, pointer: Pointer): MaybePromise<void>;
}

export const mostNearest = 3;

/** A vector of length 1 in the same direction; undefined: it has none. */
export function unitVector(values: readonly number[]): Float32Array | undefined {
  const length = Math.hypot(...values);
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float32Array.from(values, (value) => value / length);
}

/** Keeps the nearest of what it is shown. */
export class Nearest {
  readonly #threshold: number;
  readonly #found: { readonly key: string; readonly cosine: number }[] = [];

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  see(cosine: number, keyOf: () => string): void {
    if (!(cosine >= this.#threshold)) return;
    const last = this.#found.at(mostNearest - 1);
    if (last !== undefined && last.cosine >= cosine) return;
    this.#found.push({ key: keyOf(), cosine });
    this.#found.sort((a, b) => b.cosine - a.cosine);
    this.#found.length = Math.min(this.#found.length, mostNearest);
  }

  get keys(): readonly string[] {
    return this.#found.map(({ key }) => key);
  }
}

/** The cosine of a vector of length 1 and the one that stands at `start` of a list of them. */
export function cosineAt(vectors: Float32Array, start: number, vector: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index += 1) sum += (vectors[start + index] ?? 0) * (vector[index] ?? 0);
  return sum;
}
