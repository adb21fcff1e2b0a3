import type { Resolution } from 'portcullis/sdk';

/** Callers choose the keys, so neither their number nor their length may grow without end. */
const longestKey = 16_384;

/** Resolutions by what they were made of, so that equal requests share one, and with it a compiled plan. */
export class Remembered {
  readonly #known = new Map<string, Resolution>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Resolution | undefined {
    return this.#known.get(key);
  }

  keep(key: string, resolution: Resolution): Resolution {
    if (key.length > longestKey) return resolution;
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(key, resolution);
    return resolution;
  }
}
