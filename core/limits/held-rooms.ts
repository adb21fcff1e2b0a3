import type { Claim, Reservation } from 'portcullis/sdk';
import { wholeAmount } from './counter-source.ts';
import type { MemoryCount } from './memory-count.ts';

/** Room that requests hold in memory, the oldest first: all may hold it for the same time. */
export class HeldRooms {
  readonly #use: (count: MemoryCount, amount: number) => void;
  #oldest: HeldRoom | undefined;
  #newest: HeldRoom | undefined;

  /** @param use counts what was used up, once for each count of a room */
  constructor(use: (count: MemoryCount, amount: number) => void) {
    this.#use = use;
  }

  /** @param deadline epoch milliseconds, never before that of an earlier one */
  hold(counts: readonly MemoryCount[], claims: readonly Claim[], deadline: number): Reservation {
    const room = new HeldRoom(this, counts, claims, deadline);
    room.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = room;
    else this.#newest.newer = room;
    this.#newest = room;
    return room;
  }

  /** Takes back what was held for too long. @returns how many rooms that were */
  lapse(now: number): number {
    let lapsed = 0;
    while (this.#oldest !== undefined && this.#oldest.deadline <= now) {
      this.drop(this.#oldest);
      lapsed += 1;
    }
    return lapsed;
  }

  drop(room: HeldRoom): void {
    if (room.older === undefined) this.#oldest = room.newer;
    else room.older.newer = room.newer;
    if (room.newer === undefined) this.#newest = room.older;
    else room.newer.older = room.older;
    room.older = undefined;
    room.newer = undefined;
    room.held = false;
    for (let index = 0; index < room.counts.length; index += 1) {
      (room.counts[index] as MemoryCount).reserved -= (room.claims[index] as Claim).amount;
    }
  }

  use(count: MemoryCount, amount: number): void {
    this.#use(count, amount);
  }
}

class HeldRoom implements Reservation {
  readonly #rooms: HeldRooms;
  readonly counts: readonly MemoryCount[];
  readonly claims: readonly Claim[];
  readonly deadline: number;
  older: HeldRoom | undefined;
  newer: HeldRoom | undefined;
  /** False: it was held for too long, or is settled. */
  held = true;
  #settled = false;

  constructor(rooms: HeldRooms, counts: readonly MemoryCount[], claims: readonly Claim[], deadline: number) {
    this.#rooms = rooms;
    this.counts = counts;
    this.claims = claims;
    this.deadline = deadline;
  }

  commit(actual: readonly number[]): void {
    if (!this.#settle()) return;
    for (let index = 0; index < this.counts.length; index += 1) {
      this.#rooms.use(this.counts[index] as MemoryCount, wholeAmount(actual[index]));
    }
  }

  release(): void {
    this.#settle();
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.held) this.#rooms.drop(this);
    return true;
  }
}
