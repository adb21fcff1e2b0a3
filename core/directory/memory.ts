import { LRUCache } from 'lru-cache';
import type { GatewayError } from 'portcullis/sdk';
import type { Tenancies, Tenancy } from './tenancies.ts';

/** What is remembered of one path. Never changed but for its failure. */
export interface Slot {
  /** Deeply frozen; undefined: there is no such record. */
  readonly value: object | undefined;
  readonly tenancy: Tenancy;
  /** The clock of the tenancies when its load began. */
  readonly stamp: number;
  /** Milliseconds. */
  readonly loadedAt: number;
  /** Of the last try to load it anew. */
  failure: Failure | undefined;
}

export interface Failure {
  readonly error: GatewayError;
  /** Failures in a row. */
  readonly count: number;
  /** Milliseconds; not before. */
  readonly retryAt: number;
  /** The time between two outages in which it happened. */
  readonly era: number;
}

/** Records and misses, bounded apart, so that a flood of misses pushes no record out. */
export class Memory {
  readonly #records: LRUCache<string, Slot>;
  readonly #misses: LRUCache<string, Slot>;
  readonly #tenancies: Tenancies;
  readonly #maxBytes: number;

  /**
   * @param bounds.maxBytes of the JSON text of all records
   * @param onForgotten a slot is remembered no more: nobody else may keep it
   */
  constructor(
    bounds: { readonly maxEntries: number; readonly maxBytes: number; readonly maxMisses: number },
    tenancies: Tenancies,
    onForgotten: () => void,
  ) {
    this.#tenancies = tenancies;
    this.#maxBytes = bounds.maxBytes;
    const dispose = ({ tenancy }: Slot) => {
      tenancies.release(tenancy);
      onForgotten();
    };
    this.#records = new LRUCache({ max: bounds.maxEntries, maxSize: bounds.maxBytes, dispose });
    // By their sizes: of a number of entries, the library makes room for all of them at once.
    this.#misses = new LRUCache({ maxSize: bounds.maxMisses, sizeCalculation: () => 1, dispose });
  }

  get entries(): number {
    return this.#records.size;
  }

  get misses(): number {
    return this.#misses.size;
  }

  find(name: string): Slot | undefined {
    return this.#records.get(name) ?? this.#misses.get(name);
  }

  /** @param size of the JSON text, in bytes or thereabouts; at least 1 */
  keepRecord(name: string, slot: Slot, size: number): void {
    // Held before the earlier slot lets go, or its organisation would be forgotten and made anew.
    this.#tenancies.hold(slot.tenancy);
    this.#misses.delete(name);
    if (size > this.#maxBytes) {
      this.#records.delete(name);
      this.#tenancies.release(slot.tenancy);
      return;
    }
    this.#records.set(name, slot, { size });
  }

  keepMiss(name: string, slot: Slot): void {
    this.#tenancies.hold(slot.tenancy);
    this.#records.delete(name);
    this.#misses.set(name, slot);
  }
}
