import { LRUCache } from 'lru-cache';

const most = 5;
const withinMs = 30_000;
const maxOrganisations = 1000;

/**
 * Organisations whose runs had to be ended by force again and again of late, whichever of their programs it was: a new program
 * has no strikes, and one that ends in between loses them.
 */
export class Suspects {
  readonly #now: () => number;
  /** When their last runs had to be ended, oldest first. */
  readonly #ends = new LRUCache<string, readonly number[]>({ max: maxOrganisations });

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A run of it had to be ended by force. */
  note(organisation: string): void {
    this.#ends.set(organisation, [...(this.#ends.get(organisation) ?? []), this.#now()].slice(-most));
  }

  has(organisation: string): boolean {
    if (this.#ends.size === 0) return false;
    const ends = this.#ends.get(organisation) ?? [];
    return ends.length === most && this.#now() - (ends[0] ?? 0) < withinMs;
  }
}
