import { type buildConnector, Pool } from 'undici';

const maxPools = 1000;

/**
 * One connection pool an origin, kept while it is used. The least recently used one is closed when there are too many;
 * closing waits for the requests it still carries.
 */
export class Pools {
  readonly #pools = new Map<string, Pool>();
  readonly #connect: buildConnector.connector;

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  get(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) {
      // Moved to the end, so that the first is always the one unused for longest.
      if (this.#pools.size > maxPools / 2) {
        this.#pools.delete(origin);
        this.#pools.set(origin, known);
      }
      return known;
    }
    const pool = new Pool(origin, {
      connect: this.#connect,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: 30_000,
      // Deadlines are set for each request, where its timeouts are known.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pools.set(origin, pool);
    if (this.#pools.size > maxPools) this.#closeOldest();
    return pool;
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #closeOldest(): void {
    for (const [origin, pool] of this.#pools) {
      this.#pools.delete(origin);
      void pool.close();
      return;
    }
  }
}
