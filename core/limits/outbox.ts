import { type CountKey, keyText, mostUsed } from './counter-source.ts';
import { LinkFailure, type RedisLink } from './redis-link.ts';
import { countKey, endingOf, markKey, type RedisRoom } from './redis-room.ts';

interface Settlement {
  readonly room: RedisRoom;
  readonly actual: readonly number[];
  /** An earlier call may have come through. */
  readonly again: boolean;
}

interface Window extends CountKey {
  readonly end: number | undefined;
}

interface Parcel {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

const mostSettlements = 20_000;
const mostWindows = 100_000;
const atOnce = 128;

/** What Redis has still to be told: settled once each and counted once each, however often the telling fails. */
export class Outbox {
  readonly #link: RedisLink;
  readonly #newId: () => string;
  readonly #now: () => number;
  #settlements: Settlement[] = [];
  #windows = new Map<string, Window & { amount: number }>();
  #parcels: Parcel[] = [];
  #delivering: Promise<void> | undefined;
  #lost = 0;

  constructor(link: RedisLink, newId: () => string, now: () => number) {
    this.#link = link;
    this.#newId = newId;
    this.#now = now;
  }

  get size(): number {
    return this.#settlements.length + this.#windows.size + this.#parcels.length;
  }

  /** What did not find room here. */
  get lost(): number {
    return this.#lost;
  }

  /** Room that is to be given back. Durable counts are given nothing here: the store knows what was used. */
  settle(room: RedisRoom, actual: readonly number[], again: boolean): void {
    if (this.#settlements.length >= mostSettlements) {
      this.#lost += 1;
      return;
    }
    const told = room.claims.map(({ durable }, index) => (durable ? 0 : (actual[index] ?? 0)));
    this.#settlements.push({ room, actual: told, again });
  }

  /** What was used of a window that is not durable, and counted here alone. */
  add(window: Window, amount: number): void {
    const key = keyText(window);
    const known = this.#windows.get(key);
    if (known !== undefined) {
      known.amount = Math.min(known.amount + amount, mostUsed);
      return;
    }
    if (this.#windows.size >= mostWindows) {
      this.#lost += 1;
      return;
    }
    const { organisationId, name, start, end } = window;
    this.#windows.set(key, { organisationId, name, start, end, amount });
  }

  /** Tells all of it. Rejects with the first failure; what was not told stays. */
  deliver(urgent: boolean): Promise<void> {
    this.#delivering ??= this.#deliver(urgent).finally(() => {
      this.#delivering = undefined;
    });
    return this.#delivering;
  }

  async #deliver(urgent: boolean): Promise<void> {
    while (this.#settlements.length > 0) await this.#tellSettlements(urgent);
    while (this.#windows.size > 0 || this.#parcels.length > 0) {
      this.#pack();
      await this.#tellParcels(urgent);
    }
  }

  async #tellSettlements(urgent: boolean): Promise<void> {
    const part = this.#settlements.splice(0, atOnce);
    const failed: Settlement[] = [];
    let failure: unknown;
    await Promise.all(
      part.map(async (settlement) => {
        const { room, actual, again } = settlement;
        try {
          await this.#link.run('settle', room.keys, room.settleArgs(again, actual, this.#now()), urgent);
        } catch (error) {
          failure = error;
          failed.push({ room, actual, again: again || !(error instanceof LinkFailure) || error.sent });
        }
      }),
    );
    if (failed.length === 0) return;
    this.#settlements.unshift(...failed);
    throw failure;
  }

  /** What is packed keeps its mark, by which Redis knows it when it comes a second time. */
  #pack(): void {
    const byOrganisation = Map.groupBy(this.#windows.values(), ({ organisationId }) => organisationId);
    this.#windows = new Map();
    const now = this.#now();
    for (const [organisationId, windows] of byOrganisation) {
      for (let from = 0; from < windows.length; from += atOnce) {
        const part = windows.slice(from, from + atOnce);
        this.#parcels.push({
          keys: [markKey(organisationId, this.#newId()), ...part.map((window) => countKey(organisationId, window))],
          args: part.flatMap(({ amount, end }) => [String(amount), endingOf({ durable: false, end }, now)]),
        });
      }
    }
  }

  async #tellParcels(urgent: boolean): Promise<void> {
    for (let [parcel] = this.#parcels; parcel !== undefined; [parcel] = this.#parcels) {
      await this.#link.run('add', parcel.keys, parcel.args, urgent);
      this.#parcels.shift();
    }
  }
}
