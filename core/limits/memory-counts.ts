import type { Claim, CountState, MaybePromise, Reserved } from 'portcullis/sdk';
import { CountKeys } from './count-keys.ts';
import { mostUsed } from './counter-source.ts';
import { HeldRooms } from './held-rooms.ts';
import { type AskedCount, type MemoryCount, newCount } from './memory-count.ts';

export interface MemoryParts {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A reservation that is older was lost, and gives its room back. */
  readonly reservationMs: number;
  /** Beyond so many names the ones unused for longest are forgotten. */
  readonly mostNames: number;
  /** What the store says of a durable count. */
  readonly load: (count: MemoryCount) => Promise<number>;
  /** What the store has still to be told of it. */
  readonly pending: (count: MemoryCount) => number;
  /** Called for each amount above 0. */
  readonly used: (count: MemoryCount, amount: number) => void;
}

const retryMs = 2_000;
const sweepEveryMs = 1_000;
const namesOfSweep = 5_000;
const mostPassedOver = 64;
// Late commits of a window that is over still find it.
const keptMs = 60_000;

/** Counts in this process. Answers at once where all that is asked for is known. */
export class MemoryCounts {
  readonly #parts: MemoryParts;
  readonly #heads = new Map<string, MemoryCount>();
  readonly #keys = new CountKeys();
  readonly #rooms: HeldRooms;
  readonly #timer: NodeJS.Timeout;
  #cursor: Iterator<[string, MemoryCount]> | undefined;
  #lapsed = 0;
  #forgotten = 0;

  constructor(parts: MemoryParts) {
    this.#parts = parts;
    this.#rooms = new HeldRooms((count, amount) => {
      count.used = Math.min(count.used + amount, mostUsed);
      if (amount > 0) parts.used(count, amount);
    });
    this.#timer = setInterval(() => this.sweep(), sweepEveryMs);
    this.#timer.unref();
  }

  /** Reservations that were too old. */
  get lapsed(): number {
    return this.#lapsed;
  }

  /** Counts that still held, forgotten for want of room. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get names(): number {
    return this.#heads.size;
  }

  reserve(organisationId: string, claims: readonly Claim[]): MaybePromise<Reserved> {
    const now = this.#parts.now();
    this.#lapsed += this.#rooms.lapse(now);
    const counts: MemoryCount[] = [];
    let loads: Promise<void>[] | undefined;
    for (const claim of claims) {
      const count = this.#find(organisationId, claim, claim.end, now);
      counts.push(count);
      if (count.state === 'known') continue;
      const load = this.#load(count, now);
      if (load !== undefined) {
        loads ??= [];
        loads.push(load);
      }
    }
    if (loads === undefined) return this.#take(counts, claims, now);
    return Promise.all(loads).then(() => this.#take(counts, claims, this.#parts.now()));
  }

  read(organisationId: string, counts: readonly AskedCount[]): Promise<readonly CountState[]> {
    const now = this.#parts.now();
    this.#lapsed += this.#rooms.lapse(now);
    return Promise.all(
      counts.map(async (asked) => {
        const count = this.#found(organisationId, asked) ?? newCount(organisationId, asked, undefined);
        if (count.state !== 'known') await this.#load(count, now);
        return { used: count.used, reserved: count.reserved };
      }),
    );
  }

  set(organisationId: string, asked: AskedCount & Pick<Claim, 'end'>, used: number): void {
    const count = this.#find(organisationId, asked, asked.end, this.#parts.now());
    count.used = used;
    count.state = 'known';
  }

  /** Forgets all counts; room that is held stays with those who hold it. */
  clear(): void {
    this.#heads.clear();
    this.#cursor = undefined;
  }

  /** Takes back what was held for too long, and drops a part of what is over. Done by itself each second. */
  sweep(): void {
    const now = this.#parts.now();
    this.#lapsed += this.#rooms.lapse(now);
    for (let looked = 0; looked < namesOfSweep; looked += 1) {
      this.#cursor ??= this.#heads.entries();
      const next = this.#cursor.next();
      if (next.done === true) {
        this.#cursor = undefined;
        return;
      }
      const [key, head] = next.value;
      head.older = this.#needed(head.older, now);
      if (head.older === undefined && this.#isOver(head, now)) this.#heads.delete(key);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #take(counts: readonly MemoryCount[], claims: readonly Claim[], now: number): Reserved {
    const states: CountState[] = [];
    for (let index = 0; index < claims.length; index += 1) {
      const count = counts[index] as MemoryCount;
      const { amount, limit } = claims[index] as Claim;
      const taken = count.used + count.reserved;
      if (taken + amount > limit && (amount <= limit || taken > 0)) {
        const state = { used: count.used, reserved: count.reserved };
        for (let back = 0; back < index; back += 1) {
          (counts[back] as MemoryCount).reserved -= (claims[back] as Claim).amount;
        }
        return { granted: false, index, state };
      }
      count.reserved += amount;
      states.push({ used: count.used, reserved: count.reserved });
    }
    const deadline = now + this.#parts.reservationMs;
    return { granted: true, reservation: this.#rooms.hold(counts, claims, deadline), states };
  }

  #found(organisationId: string, { name, start }: AskedCount): MemoryCount | undefined {
    let count = this.#heads.get(this.#keys.of(organisationId, name));
    while (count !== undefined && count.start !== start) count = count.older;
    return count;
  }

  #find(organisationId: string, asked: AskedCount, end: number | undefined, now: number): MemoryCount {
    const key = this.#keys.of(organisationId, asked.name);
    const head = this.#heads.get(key);
    for (let count = head; count !== undefined; count = count.older) {
      if (count.start !== asked.start) continue;
      count.touched = true;
      return count;
    }
    if (head === undefined) this.#makeRoom(now);
    const made = newCount(organisationId, asked, end);
    made.older = this.#needed(head, now);
    this.#heads.set(key, made);
    return made;
  }

  /** What is left of a chain without those that nobody needs any more. */
  #needed(count: MemoryCount | undefined, now: number): MemoryCount | undefined {
    if (count === undefined) return undefined;
    count.older = this.#needed(count.older, now);
    return this.#isOver(count, now) ? count.older : count;
  }

  #isOver(count: MemoryCount, now: number): boolean {
    return count.end !== undefined && count.end + keptMs <= now && !this.#isBusy(count);
  }

  #isBusy(count: MemoryCount): boolean {
    if (count.reserved > 0 || count.loading !== undefined || count.state === 'away') return true;
    return count.durable && this.#parts.pending(count) > 0;
  }

  /** What was used since it was last looked at goes to the end of the line. */
  #makeRoom(now: number): void {
    if (this.#heads.size < this.#parts.mostNames) return;
    let passedOver = 0;
    for (const [key, head] of this.#heads) {
      if (!head.touched && head.older === undefined && !this.#isBusy(head)) {
        this.#heads.delete(key);
        if (!head.durable && !this.#isOver(head, now)) this.#forgotten += 1;
        return;
      }
      if (passedOver === mostPassedOver) return;
      passedOver += 1;
      head.touched = false;
      head.older = this.#needed(head.older, now);
      this.#heads.delete(key);
      this.#heads.set(key, head);
    }
  }

  /** The first question is waited for; those after one that failed are not. */
  #load(count: MemoryCount, now: number): Promise<void> | undefined {
    const waits = count.state === 'new';
    if (count.loading !== undefined) return waits ? count.loading : undefined;
    if (!waits && now < count.askAgainAt) return undefined;
    count.loading = this.#parts.load(count).then(
      (stored) => {
        count.loading = undefined;
        // Where it was set in the meantime, that holds.
        if (count.state === 'known') return;
        count.used = stored + this.#parts.pending(count);
        count.state = 'known';
      },
      () => {
        count.loading = undefined;
        if (count.state === 'known') return;
        count.state = 'away';
        count.askAgainAt = this.#parts.now() + retryMs;
      },
    );
    return waits ? count.loading : undefined;
  }
}
