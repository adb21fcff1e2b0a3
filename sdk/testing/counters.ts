import type { Claim, Counters, CountState, Reservation } from '../contracts/counters.ts';

type Named = Pick<Claim, 'name' | 'start'>;

interface Count {
  readonly organisationId: string;
  readonly name: string;
  readonly start: number;
  readonly durable: boolean;
  used: number;
  reserved: number;
  changedAt: number;
}

/** Counts of one test, in memory; nothing ever expires. */
export function createTestCounters(now: () => number): Counters {
  const counts = new Map<string, Count>();
  const countOf = (organisationId: string, { name, start }: Named, durable = false): Count => {
    const key = `${organisationId}\0${name}\0${start}`;
    const known = counts.get(key) ?? { organisationId, name, start, durable, used: 0, reserved: 0, changedAt: now() };
    counts.set(key, known);
    return known;
  };
  const stateOf = ({ used, reserved }: Count): CountState => ({ used, reserved });
  const durable = () =>
    [...counts.values()].filter((count) => count.durable).toSorted((a, b) => b.changedAt - a.changedAt);

  return {
    reserve(organisationId, claims) {
      const held = claims.map((claim) => countOf(organisationId, claim, claim.durable));
      for (const [index, count] of held.entries()) {
        const claim = claims[index];
        if (claim !== undefined && !hasRoom(count, claim)) return { granted: false, index, state: stateOf(count) };
      }
      for (const [index, count] of held.entries()) count.reserved += claims[index]?.amount ?? 0;
      return { granted: true, reservation: reservationOf(held, claims, now), states: held.map(stateOf) };
    },
    read: async (organisationId, asked) => asked.map((one) => stateOf(countOf(organisationId, one, one.durable))),
    set: async (organisationId, one, used) => {
      const count = countOf(organisationId, one, one.durable);
      count.used = used;
      count.changedAt = now();
    },
    list: async (organisationId, prefix, start, limit, offset) => {
      const found = durable().filter(
        (count) =>
          count.organisationId === organisationId &&
          count.name.startsWith(prefix) &&
          (start === undefined || count.start === start),
      );
      return { total: found.length, counts: found.slice(offset, offset + limit) };
    },
    changedSince: async (at, limit) =>
      durable()
        .filter(({ changedAt }) => changedAt >= at)
        .toReversed()
        .slice(0, limit),
  };
}

function hasRoom({ used, reserved }: Count, { amount, limit }: Claim): boolean {
  return used + reserved + amount <= limit || (amount > limit && used + reserved === 0);
}

function reservationOf(held: readonly Count[], claims: readonly Claim[], now: () => number): Reservation {
  let over = false;
  const settle = (actual: readonly number[]) => {
    if (over) return;
    over = true;
    for (const [index, count] of held.entries()) {
      count.reserved -= claims[index]?.amount ?? 0;
      count.used += actual[index] ?? 0;
      count.changedAt = now();
    }
  };
  return { commit: settle, release: () => settle([]) };
}
