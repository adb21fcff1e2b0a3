import { type Claim, type CountState, GatewayError, type MaybePromise, type Reserved } from 'portcullis/sdk';
import type { StoredCount } from './counter-source.ts';
import type { MemoryCounts } from './memory-counts.ts';
import type { Outbox } from './outbox.ts';
import type { Reconciler } from './reconciler.ts';
import { LinkFailure, type RedisLink } from './redis-link.ts';
import { countKey, endingOf, keysOf, type RedisCount, RedisRoom } from './redis-room.ts';
import type { Tally } from './tally.ts';

export interface RedisParts {
  readonly link: RedisLink;
  readonly outbox: Outbox;
  readonly reconciler: Reconciler;
  readonly tally: Tally;
  /** Counts while Redis is away. */
  readonly local: MemoryCounts;
  /** Whether requests are counted here while Redis is away, or refused. */
  readonly whenAway: 'open' | 'closed';
  readonly reservationMs: number;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

// A count may be lost between a question and its answer; not again and again.
const mostRounds = 3;
/** Figures that are asked for at once: Redis does nothing else meanwhile. */
const mostFigures = 128;

/** Counts in Redis, where all processes see them: one round trip for all claims of a request. */
export class RedisCounts {
  readonly #parts: RedisParts;
  readonly #settle = (room: RedisRoom, actual: readonly number[]) => this.#tell(room, actual);
  #lapsed = 0;

  constructor(parts: RedisParts) {
    this.#parts = parts;
  }

  /** Reservations that were too old, as far as this process came upon them. */
  get lapsed(): number {
    return this.#lapsed;
  }

  reserve(organisationId: string, claims: readonly Claim[]): MaybePromise<Reserved> {
    return this.#parts.link.away ? this.#reserveHere(organisationId, claims) : this.#reserve(organisationId, claims);
  }

  async read(organisationId: string, counts: readonly RedisCount[]): Promise<readonly CountState[]> {
    const { link, tally, local } = this.#parts;
    let reply: readonly (string | null)[];
    try {
      reply = (await link.run('read', keysOf(organisationId, counts), [])) as readonly (string | null)[];
    } catch {
      return local.read(organisationId, counts);
    }
    return Promise.all(
      counts.map(async ({ name, start, durable }, index) => {
        const [used = null, reserved = null] = reply.slice(index * 3);
        const state = { used: Number(used ?? 0), reserved: Math.max(0, Number(reserved ?? 0)) };
        if (used !== null || !durable) return state;
        const count = { organisationId, name, start };
        const stored = await tally.load(count);
        return { ...state, used: stored + tally.pending(count) };
      }),
    );
  }

  /**
   * Durable counts of the store, each with what Redis holds where that is more: what a process had not written when it was
   * killed stands in Redis alone, by which requests are refused. While Redis is away, the counts as they are.
   */
  async raised<C extends StoredCount>(organisationId: string, counts: readonly C[]): Promise<readonly C[]> {
    const raised: C[] = [];
    for (let from = 0; from < counts.length; from += mostFigures) {
      const part = counts.slice(from, from + mostFigures);
      const keys = keysOf(organisationId, part);
      const reply = await this.#parts.link.run('read', keys, []).catch(() => undefined);
      if (reply === undefined) return [...raised, ...counts.slice(from)];
      const figures = reply as readonly (string | null)[];
      for (const [index, count] of part.entries()) {
        const used = Number(figures[index * 3] ?? 0);
        raised.push(used > count.used ? { ...count, used } : count);
      }
    }
    return raised;
  }

  /** @throws GatewayError `limits_unavailable` */
  async set(organisationId: string, count: RedisCount & Pick<Claim, 'end'>, used: number): Promise<void> {
    const { link, now } = this.#parts;
    try {
      await link.run('set', [countKey(organisationId, count)], [String(used), endingOf(count, now())]);
    } catch {
      throw unavailable();
    }
  }

  async #reserve(organisationId: string, claims: readonly Claim[]): Promise<Reserved> {
    const { link, outbox, reservationMs, newId, now } = this.#parts;
    const room = new RedisRoom(organisationId, claims, newId(), this.#settle);
    const seeds: string[] = claims.map(({ durable }) => (durable ? '?' : ''));
    for (let round = 0; round < mostRounds; round += 1) {
      let reply: readonly number[];
      try {
        const args = room.reserveArgs(reservationMs, seeds, now());
        reply = (await link.run('reserve', room.keys, args)) as readonly number[];
      } catch (error) {
        // Redis may carry it out once it is back: then this gives the room back, or its age does.
        if (!(error instanceof LinkFailure) || error.sent) outbox.settle(room, [], true);
        return this.#reserveHere(organisationId, claims);
      }
      const [answer, lapsed = 0, ...rest] = reply;
      if (answer !== -1) {
        this.#lapsed += lapsed;
        return answer === 1 ? { granted: true, reservation: room, states: statesOf(rest) } : refusal(rest);
      }
      await Promise.all(
        reply.slice(1).map(async (index) => {
          seeds[index] = String(await this.#seed(organisationId, claims[index] as Claim));
        }),
      );
    }
    return this.#reserveHere(organisationId, claims);
  }

  /** What the store says; where it cannot be asked, what is known here, until it can. */
  async #seed(organisationId: string, { name, start }: Claim): Promise<number> {
    const { tally, reconciler } = this.#parts;
    const count = { organisationId, name, start };
    reconciler.doubt(count, performance.now(), true);
    const stored = await tally.load(count).catch(() => 0);
    return stored + tally.pending(count);
  }

  #reserveHere(organisationId: string, claims: readonly Claim[]): MaybePromise<Reserved> {
    if (this.#parts.whenAway === 'closed') throw unavailable();
    return this.#parts.local.reserve(organisationId, claims);
  }

  #tell(room: RedisRoom, actual: readonly number[]): void {
    const { link, outbox, tally, reconciler, now } = this.#parts;
    const { organisationId, claims } = room;
    for (const [index, { name, start, durable }] of claims.entries()) {
      if (durable) tally.add({ organisationId, name, start }, actual[index] ?? 0);
    }
    const untold = (again: boolean) => {
      outbox.settle(room, actual, again);
      for (const { name, start, durable } of claims) {
        if (durable) reconciler.doubt({ organisationId, name, start }, performance.now());
      }
    };
    if (link.away) {
      untold(false);
      return;
    }
    link
      .run('settle', room.keys, room.settleArgs(false, actual, now()))
      .catch((error: unknown) => untold(!(error instanceof LinkFailure) || error.sent));
  }
}

function unavailable(): GatewayError {
  return new GatewayError('limits_unavailable', 'The limits cannot be checked at the moment. Try again shortly.', {
    headers: { 'retry-after': '1' },
  });
}

function statesOf(numbers: readonly number[]): readonly CountState[] {
  const states: CountState[] = [];
  for (let index = 0; index < numbers.length; index += 2) {
    states.push({ used: numbers[index] ?? 0, reserved: numbers[index + 1] ?? 0 });
  }
  return states;
}

function refusal([index = 0, used = 0, reserved = 0]: readonly number[]): Reserved {
  return { granted: false, index, state: { used, reserved } };
}
