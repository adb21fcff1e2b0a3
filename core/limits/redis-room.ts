import type { Claim, Reservation } from 'portcullis/sdk';
import { wholeAmount } from './counter-source.ts';

const prefix = 'portcullis:limits:';

export type RedisCount = Pick<Claim, 'name' | 'start' | 'durable'>;

/** Of what was used. All keys of an organisation are in one slot of a cluster. */
export function countKey(organisationId: string, { name, start }: Pick<Claim, 'name' | 'start'>): string {
  return `${prefix}{${organisationId}}:u:${start}:${name}`;
}

/** The counts, then their open reservations. */
export function keysOf(organisationId: string, counts: readonly Pick<Claim, 'name' | 'start'>[]): readonly string[] {
  const open = counts.map(({ name, start }) => `${prefix}{${organisationId}}:r:${start}:${name}`);
  return [...counts.map((count) => countKey(organisationId, count)), ...open];
}

export function markKey(organisationId: string, id: string): string {
  return `${prefix}{${organisationId}}:b:${id}`;
}

// Late commits of a window that is over still find it.
const keptMs = 60_000;

/**
 * How long a count is kept, as the scripts take it: from now on, for the clock of Redis may show another time.
 * @param now epoch milliseconds, by the clock that the end is of
 */
export function endingOf({ durable, end }: Pick<Claim, 'durable' | 'end'>, now: number): string {
  if (durable) return 'durable';
  return end === undefined ? 'never' : String(Math.max(0, end - now) + keptMs);
}

/** What one request holds in Redis. */
export class RedisRoom implements Reservation {
  readonly organisationId: string;
  readonly claims: readonly Claim[];
  readonly id: string;
  readonly keys: readonly string[];
  readonly #settle: (room: RedisRoom, actual: readonly number[]) => void;
  #settled = false;

  /** @param settle called once, with whole amounts */
  constructor(
    organisationId: string,
    claims: readonly Claim[],
    id: string,
    settle: (room: RedisRoom, actual: readonly number[]) => void,
  ) {
    this.organisationId = organisationId;
    this.claims = claims;
    this.id = id;
    this.keys = keysOf(organisationId, claims);
    this.#settle = settle;
  }

  commit(actual: readonly number[]): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(
      this,
      this.claims.map((_, index) => wholeAmount(actual[index])),
    );
  }

  release(): void {
    this.commit([]);
  }

  reserveArgs(reservationMs: number, seeds: readonly string[], now: number): readonly string[] {
    const args = [this.id, String(reservationMs)];
    for (const [index, claim] of this.claims.entries()) {
      args.push(String(claim.limit), String(claim.amount), endingOf(claim, now), seeds[index] ?? '');
    }
    return args;
  }

  settleArgs(again: boolean, actual: readonly number[], now: number): readonly string[] {
    const args = [this.id, again ? 'again' : 'first'];
    for (const [index, claim] of this.claims.entries()) {
      args.push(String(claim.amount), String(actual[index] ?? 0), endingOf(claim, now));
    }
    return args;
  }
}
