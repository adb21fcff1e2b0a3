import { LRUCache } from 'lru-cache';

/** Runs in a row that must have been quick: at first, after one that was cut off, and after one that could not be. */
const provenAfter = { first: 5, cut: 100, stuck: 10_000 } as const;

interface Pace {
  readonly needed: number;
  readonly left: number;
}

const unknown: Pace = { needed: provenAfter.first, left: provenAfter.first };

/** Which programs have proved quick, so that the main thread of the sandbox's process can be risked on them. */
export class Paces {
  readonly #paces = new LRUCache<string, Pace>({ max: 1000 });

  isQuick(key: string): boolean {
    return this.#paces.get(key)?.left === 0;
  }

  /** A run ended by itself. */
  ended(key: string, quick: boolean): void {
    const { needed, left } = this.#paces.get(key) ?? unknown;
    if (!quick) this.#paces.set(key, { needed, left: needed });
    else if (left > 0) this.#paces.set(key, { needed, left: left - 1 });
  }

  /** One that was expected to be quick was cut off, or was stuck where nothing could cut it off. */
  failed(key: string, how: 'cut' | 'stuck'): void {
    const needed = Math.max(provenAfter[how], this.#paces.get(key)?.needed ?? 0);
    this.#paces.set(key, { needed, left: needed });
  }
}
