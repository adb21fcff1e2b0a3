import type { Settings } from 'portcullis/sdk';

interface Cached {
  readonly value: Promise<unknown>;
  /** Epoch milliseconds after which a new one is fetched. */
  staleAt: number;
}

/** For whom something is kept. */
interface Owner {
  readonly settings: Settings;
  readonly upstream: string;
  /** Whether it may spend the identity of the machine: what is kept for those who may is for no others. */
  readonly machine?: boolean | undefined;
}

const most = 1000;
const marginMs = 5 * 60_000;
/** For a token that does not say how long it lives. */
const unknownLifeMs = 30_000;

/** Short-lived credentials: kept until shortly before they end, fetched once at a time, forgotten where that failed. */
export class CachedTokens {
  readonly #now: () => number;
  readonly #kept = new Map<string, Map<string, Cached>>();
  /** Settings are the same object for as long as nothing has changed. */
  readonly #owners = new WeakMap<Settings, string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async get<T>(
    owner: Owner,
    name: string,
    make: () => Promise<{ readonly value: T; readonly expiresAtMs: number }>,
  ): Promise<T> {
    const kept = this.#keptFor(owner);
    const known = kept.get(name);
    if (known !== undefined && known.staleAt > this.#now()) return known.value as Promise<T>;
    const fresh: Cached = {
      value: make().then(({ value, expiresAtMs }) => {
        fresh.staleAt = this.#staleAt(expiresAtMs);
        return value;
      }),
      staleAt: Number.POSITIVE_INFINITY,
    };
    kept.set(name, fresh);
    try {
      return (await fresh.value) as T;
    } catch (error) {
      if (kept.get(name) === fresh) kept.delete(name);
      throw error;
    }
  }

  forget(owner: Owner): void {
    this.#kept.delete(this.#keyOf(owner));
  }

  #staleAt(expiresAtMs: number): number {
    const now = this.#now();
    const lifeMs = expiresAtMs - now;
    return now + (lifeMs > 0 ? Math.max(lifeMs - marginMs, lifeMs / 2) : unknownLifeMs);
  }

  #keptFor(owner: Owner): Map<string, Cached> {
    const key = this.#keyOf(owner);
    const kept = this.#kept.get(key) ?? new Map<string, Cached>();
    // Those of late stay: whoever sends ever new settings does not drive out what others use.
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }

  /** By the settings, not by the request: a signed assertion differs each time that it is made. */
  #keyOf({ settings, upstream, machine }: Owner): string {
    const known = this.#owners.get(settings) ?? JSON.stringify(settings);
    this.#owners.set(settings, known);
    return `${upstream} ${machine === true} ${known}`;
  }
}
