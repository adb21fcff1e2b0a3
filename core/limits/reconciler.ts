import { type CountKey, keyText } from './counter-source.ts';
import type { RedisLink } from './redis-link.ts';
import { countKey, keysOf } from './redis-room.ts';
import type { Tally } from './tally.ts';

interface Doubtful {
  readonly count: CountKey;
  due: number;
  rounds: number;
}

const most = 100_000;
const mostOfTick = 200;
// Longer than other processes take to write what they have counted.
const pauseMs = 2_000;

/**
 * Durable counts of which Redis may know less than the store: it has lost them, or was away while they were counted.
 * They are raised to what the store says, and once more when other processes will have written theirs.
 */
export class Reconciler {
  readonly #link: RedisLink;
  readonly #tally: Tally;
  readonly #counts = new Map<string, Doubtful>();
  #running: Promise<unknown> | undefined;

  constructor(link: RedisLink, tally: Tally) {
    this.#link = link;
    this.#tally = tally;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** @param now monotonic milliseconds; @param seeded Redis has just been given what the store said */
  doubt({ organisationId, name, start }: CountKey, now: number, seeded = false): void {
    const count = { organisationId, name, start };
    const key = keyText(count);
    if (!this.#counts.has(key) && this.#counts.size >= most) return;
    const known = this.#counts.get(key);
    const rounds = Math.max(known?.rounds ?? 0, seeded ? 1 : 2);
    this.#counts.set(key, { count, due: seeded ? now + pauseMs : now, rounds });
  }

  /** Raises those that are due. Never rejects; one run at a time. */
  tick(now: number): void {
    if (this.#running !== undefined || this.#link.away || this.#counts.size === 0) return;
    const due = [...this.#counts].filter(([, doubtful]) => doubtful.due <= now).slice(0, mostOfTick);
    if (due.length === 0) return;
    this.#running = Promise.all(due.map(([key, doubtful]) => this.#raise(key, doubtful, now))).finally(() => {
      this.#running = undefined;
    });
  }

  async #raise(key: string, doubtful: Doubtful, now: number): Promise<void> {
    const { count } = doubtful;
    doubtful.due = now + pauseMs;
    try {
      const [, , sets] = (await this.#link.run('read', keysOf(count.organisationId, [count]), [])) as (string | null)[];
      const stored = await this.#tally.load(count);
      const used = stored + this.#tally.pending(count);
      await this.#link.run('raise', [countKey(count.organisationId, count)], [String(used), sets ?? '0']);
    } catch {
      // One of the two is away, which they have logged: it stays doubtful.
      return;
    }
    doubtful.rounds -= 1;
    if (doubtful.rounds <= 0 && this.#counts.get(key) === doubtful) this.#counts.delete(key);
  }
}
