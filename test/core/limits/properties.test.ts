import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Claim, Reservation } from 'portcullis/sdk';
import type { CountersOptions, LiveCounters } from '../../../core/limits/counters.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { budget, claim, openCounters, organisation } from './bed.ts';

let redis: RedisServer;
before(async () => {
  redis = await startRedis();
});
after(() => redis.close());

type Step =
  | { readonly do: 'reserve'; readonly claims: readonly { readonly count: number; readonly amount: number }[] }
  | { readonly do: 'commit'; readonly which: number; readonly actual: readonly number[] }
  | { readonly do: 'release'; readonly which: number }
  | { readonly do: 'set'; readonly count: number; readonly used: number };

const limits = [5, 12, 30, 100];
const counts = fc.nat(limits.length - 1);
const amounts = fc.nat(40);
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('reserve' as const),
        claims: fc.array(fc.record({ count: counts, amount: amounts }), { minLength: 1, maxLength: 5 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('commit' as const),
        which: fc.nat(),
        actual: fc.array(amounts, { minLength: 5, maxLength: 5 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('set' as const), count: counts, used: amounts }) },
  ),
  { maxLength: 60, size: 'max' },
);

interface Open {
  readonly reservation: Reservation;
  readonly claims: readonly { readonly count: number; readonly amount: number }[];
  settled: boolean;
}

let rounds = 0;

/** Every answer, and every state after it, is that of a table in which nothing happens at once. */
async function keepsTo(counters: LiveCounters, run: readonly Step[]): Promise<void> {
  const round = ++rounds;
  // Every second count is kept in the store as well.
  const claims: readonly Claim[] = limits.map((limit, index) =>
    (index % 2 === 0 ? claim : budget)(`p/${round}/${index}`, limit, 1),
  );
  const table = limits.map(() => ({ used: 0, reserved: 0 }));
  const at = (count: number) => table[count] as { used: number; reserved: number };
  const open: Open[] = [];
  for (const step of run) {
    if (step.do === 'reserve') {
      const asked = step.claims.map(({ count, amount }) => ({ ...(claims[count] as Claim), amount }));
      const before = table.map((row) => ({ ...row }));
      let expected = -1;
      for (const [index, { count, amount }] of step.claims.entries()) {
        const row = at(count);
        const [taken, limit] = [row.used + row.reserved, limits[count] as number];
        const room = taken + amount <= limit || (amount > limit && taken === 0);
        if (!room) {
          expected = index;
          break;
        }
        row.reserved += amount;
      }
      const reserved = await counters.reserve(organisation, asked);
      assert.equal(reserved.granted ? -1 : reserved.index, expected);
      if (reserved.granted) open.push({ reservation: reserved.reservation, claims: step.claims, settled: false });
      else for (const [index, row] of before.entries()) Object.assign(at(index), row);
    } else if (step.do === 'set') {
      await counters.set(organisation, claims[step.count] as Claim, step.used);
      at(step.count).used = step.used;
    } else {
      const one = open[step.which % Math.max(1, open.length)];
      if (one === undefined) continue;
      if (step.do === 'commit') one.reservation.commit(step.actual);
      else one.reservation.release();
      if (one.settled) continue;
      one.settled = true;
      for (const [index, { count, amount }] of one.claims.entries()) {
        at(count).reserved -= amount;
        if (step.do === 'commit') at(count).used += step.actual[index] ?? 0;
      }
    }
    assert.deepEqual(await counters.read(organisation, claims), table);
  }
}

const backends: readonly [string, number, () => Partial<CountersOptions>][] = [
  ['in memory', 300, () => ({})],
  ['in Redis', 60, () => ({ redis: { url: redis.url, whenAway: 'closed' } })],
];

for (const [where, numRuns, options] of backends) {
  describe(`counts ${where}`, () => {
    it('answer as a table does, whatever is reserved, settled and set in whatever order', async (t) => {
      const { counters } = openCounters(t, options());
      await fc.assert(
        fc.asyncProperty(steps, (run) => keepsTo(counters, run)),
        { numRuns },
      );
    });
  });
}
