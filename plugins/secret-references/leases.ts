/** Something that holds for a time: a token, temporary credentials, a value. */
export interface Lease<T> {
  readonly value: T;
  /** Epoch milliseconds. From then on it is obtained anew at the next use. */
  readonly freshUntil: number;
  /** From then on it may not be used at all; at least `freshUntil`. */
  readonly goodUntil: number;
}

const most = 10_000;

/** What was obtained, by key, each once at a time; the oldest makes room. */
export class Leases<T> {
  readonly #now: () => number;
  readonly #kept = new Map<string, Lease<T>>();
  readonly #running = new Map<string, Promise<T>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The value if it is fresh. */
  peek(key: string): Lease<T> | undefined {
    const lease = this.#kept.get(key);
    return lease !== undefined && this.#now() < lease.freshUntil ? lease : undefined;
  }

  /** @param obtain gets what is still good and due for renewal */
  get(key: string, obtain: (old: T | undefined) => Promise<Lease<T>>): Promise<T> {
    const fresh = this.peek(key);
    if (fresh !== undefined) return Promise.resolve(fresh.value);
    const running = this.#running.get(key) ?? this.#renew(key, obtain);
    this.#running.set(key, running);
    return running;
  }

  /** It has turned out to hold no longer; another one that came since stays. */
  drop(key: string, isIt: (value: T) => boolean): void {
    const lease = this.#kept.get(key);
    if (lease !== undefined && isIt(lease.value)) this.#kept.delete(key);
  }

  async #renew(key: string, obtain: (old: T | undefined) => Promise<Lease<T>>): Promise<T> {
    const old = this.#kept.get(key);
    const good = old !== undefined && this.#now() < old.goodUntil ? old : undefined;
    try {
      const lease = await obtain(good?.value);
      this.#kept.delete(key);
      this.#kept.set(key, lease);
      for (const oldest of this.#kept.keys()) {
        if (this.#kept.size <= most) break;
        this.#kept.delete(oldest);
      }
      return lease.value;
    } catch (error) {
      // A credential that has time left serves on when its renewal fails.
      if (good !== undefined && this.#now() < good.goodUntil) return good.value;
      throw error;
    } finally {
      this.#running.delete(key);
    }
  }
}
