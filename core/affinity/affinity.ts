import { LRUCache } from 'lru-cache';
import { GatewayError, type Log, type MaybePromise } from 'portcullis/sdk';
import { within } from '../store/patience.ts';
import { type AffinityKey, type AffinityRow, keyText } from './rows.ts';
import type { AffinitySource } from './source.ts';
import { WriteBehind } from './write-behind.ts';

export interface AffinityOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Undefined: rows live in this process alone, as many as find room. */
  readonly source: AffinitySource | undefined;
  /** Ids that this process holds. Default 10,000 beside a source, 100,000 without one. */
  readonly mostIds?: number;
}

/** What is known of one id to the callers of one scope. */
export type Standing = AffinityRow | 'foreign' | 'unknown';

/** Which target made what. */
export interface Affinity {
  /**
   * What is known of some ids, by their hashes, in the order in which they were asked. No promise when this process
   * knows all of them. Never rejects: a source that is away is passed over, and the log says so.
   */
  find(idHashes: readonly string[], scope: string): MaybePromise<readonly Standing[]>;
  /** Known here at once, to others soon. */
  remember(rows: readonly AffinityRow[]): void;
  forget(key: AffinityKey): void;
  /** Writes what has not been written. */
  close(): Promise<void>;
}

type Loaded = ReadonlyMap<string, readonly AffinityRow[]>;

const patienceMs = 1_000;
/** After a question that failed, for so long nobody waits for another. */
const awayMs = 1_000;

export function createAffinity(options: AffinityOptions): Affinity {
  return new LiveAffinity(options);
}

class LiveAffinity implements Affinity {
  readonly #options: AffinityOptions;
  readonly #known: LRUCache<string, readonly AffinityRow[]>;
  readonly #writes: WriteBehind | undefined;
  #away = false;
  #askAgainAt = 0;

  constructor(options: AffinityOptions) {
    const { source, mostIds = source === undefined ? 100_000 : 10_000 } = options;
    this.#options = options;
    // By their sizes: of a number of entries, the library makes room for all of them at once.
    this.#known = new LRUCache({ maxSize: mostIds, sizeCalculation: () => 1 });
    if (source === undefined) return;
    this.#writes = new WriteBehind({ source, onWritten: (error) => this.#heard(error) });
  }

  find(idHashes: readonly string[], scope: string): MaybePromise<readonly Standing[]> {
    const { source } = this.#options;
    const known = idHashes.map((idHash) => this.#standing(this.#rows(idHash), scope));
    const missing = new Set(idHashes.filter((_, index) => typeof known[index] === 'string'));
    if (source === undefined || missing.size === 0 || performance.now() < this.#askAgainAt) return known;
    return this.#load(source, [...missing]).then((loaded) =>
      // A long list may not find room here: what was loaded for it counts in any case.
      idHashes.map((idHash, index) => {
        const standing = known[index] ?? 'unknown';
        return missing.has(idHash) ? this.#standing(loaded.get(idHash) ?? this.#rows(idHash), scope) : standing;
      }),
    );
  }

  remember(rows: readonly AffinityRow[]): void {
    for (const row of rows) {
      const known = this.#rows(row.idHash);
      if (known.some((other) => isSame(row, other))) continue;
      this.#known.set(row.idHash, [...known.filter(({ scope }) => scope !== row.scope), row]);
      this.#writes?.put(row);
    }
  }

  forget(key: AffinityKey): void {
    const left = this.#rows(key.idHash).filter(({ scope }) => scope !== key.scope);
    if (left.length === 0) this.#known.delete(key.idHash);
    else this.#known.set(key.idHash, left);
    this.#writes?.forget(key);
  }

  async close(): Promise<void> {
    await this.#writes?.close();
  }

  #rows(idHash: string): readonly AffinityRow[] {
    return this.#known.get(idHash) ?? [];
  }

  #standing(held: readonly AffinityRow[], scope: string): Standing {
    const seconds = this.#options.now() / 1000;
    const rows = held.filter(({ expiresAt }) => expiresAt > seconds);
    return rows.find((row) => row.scope === scope) ?? (rows.length === 0 ? 'unknown' : 'foreign');
  }

  async #load(source: AffinitySource, missing: readonly string[]): Promise<Loaded> {
    try {
      const rows = await within(patienceMs, 'A question for who made an object', source.find(missing));
      this.#heard(undefined);
      return this.#adopt(rows);
    } catch (error) {
      this.#heard(error);
      return new Map();
    }
  }

  /** What this process has written or forgotten meanwhile is newer than what the source has said. */
  #adopt(rows: readonly AffinityRow[]): Loaded {
    const loaded = new Map<string, readonly AffinityRow[]>();
    for (const [idHash, found] of Map.groupBy(rows, (row) => row.idHash)) {
      const own = this.#rows(idHash);
      const scopes = new Set(own.map(({ scope }) => scope));
      const fresh = found.filter((row) => !scopes.has(row.scope) && this.#writes?.isForgotten(row) !== true);
      if (fresh.length === 0) continue;
      loaded.set(idHash, [...own, ...fresh]);
      this.#known.set(idHash, [...own, ...fresh]);
    }
    return loaded;
  }

  #heard(error: unknown): void {
    const { log } = this.#options;
    if (error === undefined) {
      if (this.#away) log.info('affinity_back', { lost: this.#writes?.lost ?? 0 });
      this.#away = false;
      this.#askAgainAt = 0;
      return;
    }
    this.#askAgainAt = performance.now() + awayMs;
    if (this.#away) return;
    this.#away = true;
    log.warn('affinity_away', { serving: 'what this process knows', error: described(error) });
  }
}

function isSame(one: AffinityRow, other: AffinityRow): boolean {
  return (
    keyText(one) === keyText(other) &&
    one.target === other.target &&
    one.provider === other.provider &&
    one.providerSlug === other.providerSlug
  );
}

/** Errors of drivers may quote a statement with its values. */
function described(error: unknown): string {
  if (GatewayError.is(error)) return error.message;
  return error instanceof Error ? error.name : 'not an error';
}
