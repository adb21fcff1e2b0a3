import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { CountersOptions } from '../../../core/limits/counters.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { budget, claim, granted, openCounters, organisation, stateOf } from './bed.ts';

let redis: RedisServer;
before(async () => {
  redis = await startRedis();
});
after(() => redis.close());

const backends: readonly [string, () => Partial<CountersOptions>][] = [
  ['in memory', () => ({})],
  ['in Redis', () => ({ redis: { url: redis.url, whenAway: 'closed' } })],
];
let names = 0;
const fresh = () => `rate/policy/${++names}/requests`;

for (const [where, options] of backends) {
  describe(`counts ${where}`, () => {
    const open = (t: TestContext) => openCounters(t, options()).counters;

    it('set room aside, and keep what was used in its place', async (t) => {
      const counters = open(t);
      const window = claim(fresh(), 100, 60);
      const { reservation, states } = await granted(counters.reserve(organisation, [window]));
      assert.deepEqual(states, [{ used: 0, reserved: 60 }]);
      assert.deepEqual(await counters.reserve(organisation, [window]), {
        granted: false,
        index: 0,
        state: { used: 0, reserved: 60 },
      });
      reservation.commit([25]);
      assert.deepEqual(await stateOf(counters, window), [25, 0]);
      await granted(counters.reserve(organisation, [window]));
      assert.deepEqual(await stateOf(counters, window), [25, 60]);
    });

    it('take nothing from any claim when one has no room, and say which one', async (t) => {
      const counters = open(t);
      const [minute, day, month] = [claim(fresh(), 10), claim(fresh(), 2), budget(fresh(), 1_000, 5)];
      const all = [minute, month, day];
      for (let request = 0; request < 2; request += 1) await granted(counters.reserve(organisation, all));
      const refused = await counters.reserve(organisation, all);
      assert.deepEqual(refused, { granted: false, index: 2, state: { used: 0, reserved: 2 } });
      assert.deepEqual(await stateOf(counters, minute), [0, 2]);
      assert.deepEqual(await stateOf(counters, month), [0, 10]);
    });

    it('count the same name twice where a request claims it twice', async (t) => {
      const counters = open(t);
      const window = claim(fresh(), 5, 2);
      const { reservation } = await granted(counters.reserve(organisation, [window, window]));
      assert.deepEqual(await stateOf(counters, window), [0, 4]);
      assert.equal((await counters.reserve(organisation, [window, window])).granted, false);
      assert.deepEqual(await stateOf(counters, window), [0, 4]);
      reservation.commit([1, 2]);
      assert.deepEqual(await stateOf(counters, window), [3, 0]);
    });

    it('let a claim that is larger than its limit in alone, and nothing beside it', async (t) => {
      const counters = open(t);
      const [huge, small] = [claim(fresh(), 10, 50), 1];
      const { reservation } = await granted(counters.reserve(organisation, [huge]));
      assert.equal((await counters.reserve(organisation, [{ ...huge, amount: small }])).granted, false);
      reservation.commit([4]);
      assert.equal((await counters.reserve(organisation, [huge])).granted, false);
      await granted(counters.reserve(organisation, [{ ...huge, amount: 6 }]));
    });

    it('settle a reservation once, whatever is called again', async (t) => {
      const counters = open(t);
      const window = claim(fresh(), 100, 10);
      const one = await granted(counters.reserve(organisation, [window]));
      one.reservation.commit([7]);
      one.reservation.commit([7]);
      one.reservation.release();
      const other = await granted(counters.reserve(organisation, [window]));
      other.reservation.release();
      other.reservation.commit([9]);
      assert.deepEqual(await stateOf(counters, window), [7, 0]);
    });

    it('are others for another start, another organisation and another name', async (t) => {
      const counters = open(t);
      const window = claim(fresh(), 1);
      const next = { ...window, start: window.start + 60_000 };
      await granted(counters.reserve(organisation, [window]));
      await granted(counters.reserve('another', [window]));
      await granted(counters.reserve(organisation, [next]));
      await granted(counters.reserve(organisation, [{ ...window, name: `${window.name} ` }]));
      assert.equal((await counters.reserve(organisation, [window])).granted, false);
      assert.equal((await counters.reserve(organisation, [next])).granted, false);
    });

    it('count in billionths of a dollar without losing one', async (t) => {
      const counters = open(t);
      const spend = budget(fresh(), 8_999_999_999_999_999, 8_999_999_999_999_990);
      const { reservation, states } = await granted(counters.reserve(organisation, [spend]));
      assert.deepEqual(states, [{ used: 0, reserved: 8_999_999_999_999_990 }]);
      reservation.commit([8_999_999_999_999_993]);
      assert.deepEqual(await stateOf(counters, spend), [8_999_999_999_999_993, 0]);
      assert.equal((await counters.reserve(organisation, [{ ...spend, amount: 7 }])).granted, false);
      await granted(counters.reserve(organisation, [{ ...spend, amount: 6 }]));
    });

    it('take what a commit says that is no whole number for the nearest one', async (t) => {
      const counters = open(t);
      const window = claim(fresh(), 1_000, 3);
      for (const [actual, used] of [
        [[2.6], 3],
        [[-5], 3],
        [[Number.NaN], 3],
        [[], 3],
        [[4], 7],
      ] as const) {
        const { reservation } = await granted(counters.reserve(organisation, [window]));
        reservation.commit(actual);
        assert.deepEqual(await stateOf(counters, window), [used, 0]);
      }
    });

    it('can be set, without touching what is reserved', async (t) => {
      const counters = open(t);
      const spend = budget(fresh(), 100, 30);
      const { reservation } = await granted(counters.reserve(organisation, [{ ...spend, amount: 100 }]));
      reservation.commit([100]);
      assert.equal((await counters.reserve(organisation, [spend])).granted, false);
      await counters.set(organisation, spend, 0);
      await granted(counters.reserve(organisation, [spend]));
      await counters.set(organisation, spend, 40);
      assert.deepEqual(await stateOf(counters, spend), [40, 30]);
      const { counts } = await counters.list(organisation, spend.name, spend.start, 10, 0);
      assert.deepEqual(
        counts.map(({ used }) => used),
        [40],
      );
    });

    it('give back what was held for too long, and count what its holder says all the same', async (t) => {
      const reservationMs = 60;
      const { counters } = openCounters(t, { ...options(), reservationMs });
      const window = claim(fresh(), 10, 10);
      const since = performance.now();
      const lost = await granted(counters.reserve(organisation, [window]));
      while (!(await counters.reserve(organisation, [window])).granted);
      // The moments are whole milliseconds.
      assert.ok(performance.now() - since > reservationMs - 1, 'not before');
      assert.equal(counters.lapsed, 1);
      lost.reservation.commit([4]);
      assert.deepEqual((await stateOf(counters, window))[0], 4);
    });

    it('refuse a claim that cannot be counted', (t) => {
      const counters = open(t);
      const wrong = [{ amount: 1.5 }, { amount: -1 }, { limit: Number.NaN }, { name: '' }, { name: 'x'.repeat(501) }];
      for (const part of wrong) {
        assert.throws(() => counters.reserve(organisation, [{ ...claim(fresh(), 10), ...part }]), { code: 'internal' });
      }
    });
  });
}
