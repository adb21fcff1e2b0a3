import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { CountersOptions } from '../../../core/limits/counters.ts';
import { memoryCounterSource } from '../../../core/limits/memory-source.ts';
import { RedisLink } from '../../../core/limits/redis-link.ts';
import { countKey, endingOf, keysOf, markKey } from '../../../core/limits/redis-room.ts';
import { silentLog } from '../../../core/log.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { budget, claim, granted, openCounters, organisation, stateOf, until } from './bed.ts';

/** Far above what Redis takes on a busy machine. */
const commandTimeoutMs = 1_000;

async function open(t: TestContext, whenAway: 'open' | 'closed', rest: Partial<CountersOptions> = {}) {
  const redis = await startRedis();
  t.after(() => redis.close());
  const bed = openCounters(t, { redis: { url: redis.url, whenAway, commandTimeoutMs }, ...rest });
  await granted(bed.counters.reserve(organisation, [claim('ready', 10)]));
  return { redis, ...bed };
}

/** Makes as many calls as it takes until the breaker is open. */
async function untilOpen({ counters, breaker }: ReturnType<typeof openCounters>): Promise<void> {
  await until('the breaker opens', async () => {
    const call = async () => counters.reserve(organisation, [claim('opening', 1_000_000)]);
    await Promise.allSettled(Array.from({ length: 5 }, call));
    return breaker().at(-1) === 'open';
  });
}

const outages: readonly [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown][] = [
  ['frozen', (redis) => redis.freeze(), (redis) => redis.thaw()],
  ['stopped', (redis) => redis.stop(), (redis) => redis.start()],
];

describe('while Redis is away', () => {
  for (const [how, leave, comeBack] of outages) {
    it(`and ${how}, few calls wait for it, all others are answered at once, and it is used again later`, async (t) => {
      const { redis, ...bed } = await open(t, 'open');
      const { counters, breaker } = bed;
      await leave(redis);
      await untilOpen(bed);
      const waited = counters.waitedInVain;
      assert.ok(waited <= 5, `${waited} calls waited`);
      const window = claim(`away/${how}`, 1_000);
      for (let call = 0; call < 1_000; call += 1) {
        const reserved = counters.reserve(organisation, [window]);
        assert.ok(!(reserved instanceof Promise), 'answered without waiting');
        assert.ok(reserved.granted);
        reserved.reservation.commit([1]);
      }
      const beyond = counters.reserve(organisation, [window]);
      assert.ok(!(beyond instanceof Promise) && !beyond.granted, 'the limit holds here, too');
      assert.equal(counters.waitedInVain, waited);
      await comeBack(redis);
      await until('the breaker closes', () => breaker().at(-1) === 'closed');
      assert.deepEqual(breaker(), ['open', 'closed']);
      await until('what was counted here is there', async () => (await stateOf(counters, window))[0] === 1_000);
      const { counters: other } = openCounters(t, { redis: { url: redis.url, whenAway: 'closed' } });
      assert.deepEqual(await stateOf(other, window), [1_000, 0]);
    });

    it(`and ${how}, requests are refused at once where the operator wants that`, async (t) => {
      const { redis, ...bed } = await open(t, 'closed');
      const { counters, breaker } = bed;
      await leave(redis);
      await untilOpen(bed);
      const waited = counters.waitedInVain;
      for (let call = 0; call < 100; call += 1) {
        assert.throws(() => counters.reserve(organisation, [claim('refused', 10)]), {
          code: 'limits_unavailable',
          status: 503,
        });
      }
      assert.equal(counters.waitedInVain, waited);
      await assert.rejects(counters.set(organisation, claim('refused', 10), 0), { code: 'limits_unavailable' });
      await comeBack(redis);
      await until('the breaker closes', () => breaker().at(-1) === 'closed');
      await granted(counters.reserve(organisation, [claim('refused', 10)]));
    });
  }

  it('no more calls wait at once than may be under way, however many come', async (t) => {
    const { redis, counters, breaker } = await open(t, 'open');
    redis.freeze();
    const window = claim('crowd', 100_000);
    const answers = await Promise.all(Array.from({ length: 5_000 }, () => counters.reserve(organisation, [window])));
    assert.equal(answers.filter(({ granted: room }) => room).length, 5_000);
    // Four failures let four more go, the fifth lets nobody.
    assert.ok(counters.waitedInVain <= 256 + 4, `${counters.waitedInVain} waited`);
    redis.thaw();
    await until('the breaker closes', () => breaker().at(-1) === 'closed');
    for (const answer of answers) if (answer.granted) answer.reservation.commit([2]);
    // Those that timed out were carried out after all when it came back, and were given back.
    await until('all of it is counted once', async () => {
      const [used = 0, reserved = 0] = await stateOf(counters, window);
      assert.ok(used <= 10_000);
      return used === 10_000 && reserved === 0;
    });
  });

  it('what was held there is settled once, when it is back', async (t) => {
    const { redis, ...bed } = await open(t, 'open');
    const { counters, breaker } = bed;
    const windows = [claim('held/a', 100, 10), claim('held/b', 100, 10)];
    const [used, unused, late] = await Promise.all(
      [1, 2, 3].map(() => granted(counters.reserve(organisation, windows))),
    );
    redis.freeze();
    // Sent, and not answered: whether it was done is not known.
    used?.reservation.commit([7, 3]);
    await untilOpen(bed);
    unused?.reservation.release();
    late?.reservation.commit([1, 0]);
    redis.thaw();
    await until('the breaker closes', () => breaker().at(-1) === 'closed');
    await until('all are settled', async () => (await stateOf(counters, windows[0] ?? claim('', 0)))[1] === 0);
    assert.deepEqual(await stateOf(counters, claim('held/a', 100)), [8, 0]);
    assert.deepEqual(await stateOf(counters, claim('held/b', 100)), [3, 0]);
  });

  for (const [how, leave, comeBack] of outages) {
    it(`and ${how}, budgets are counted on from the store, and Redis learns of it`, async (t) => {
      const source = memoryCounterSource(Date.now);
      const { redis, ...bed } = await open(t, 'open', { source });
      const { counters, breaker } = bed;
      const spend = budget('usage/policy', 1_000, 10);
      const before = await granted(counters.reserve(organisation, [spend]));
      before.reservation.commit([600]);
      await until('it is written', () => counters.unflushed === 0);
      await leave(redis);
      await untilOpen(bed);
      const during = await granted(counters.reserve(organisation, [{ ...spend, amount: 400 }]));
      assert.deepEqual(during.states, [{ used: 600, reserved: 400 }]);
      during.reservation.commit([300]);
      assert.equal((await counters.reserve(organisation, [{ ...spend, amount: 101 }])).granted, false);
      await comeBack(redis);
      await until('the breaker closes', () => breaker().at(-1) === 'closed');
      const { counters: other } = openCounters(t, { source, redis: { url: redis.url, whenAway: 'closed' } });
      await until('Redis knows', async () => (await stateOf(other, spend))[0] === 900);
      assert.equal((await other.reserve(organisation, [{ ...spend, amount: 101 }])).granted, false);
      await granted(other.reserve(organisation, [{ ...spend, amount: 100 }]));
    });
  }

  it('from the start, requests are counted here until it comes', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.close());
    await redis.stop();
    const { counters, breaker } = openCounters(t, { redis: { url: redis.url, whenAway: 'open' } });
    const window = claim('early', 2);
    const first = await granted(counters.reserve(organisation, [window]));
    await granted(counters.reserve(organisation, [window]));
    assert.equal((await counters.reserve(organisation, [window])).granted, false);
    await redis.start();
    await until('the breaker closes', () => breaker().at(-1) === 'closed');
    first.reservation.commit([1]);
    await until('it is told', async () => (await stateOf(counters, window))[0] === 1);
  });
});

describe('a process that is busy for longer than Redis may take', () => {
  it('takes the answers that have come in the meantime', async (t) => {
    const { counters, breaker } = await open(t, 'closed');
    const window = claim('busy', 100);
    const asked = Array.from({ length: 20 }, () => counters.reserve(organisation, [window]));
    await new Promise(setImmediate);
    const end = performance.now() + 1.3 * commandTimeoutMs;
    while (performance.now() < end);
    for (const answer of await Promise.all(asked)) assert.ok(answer.granted);
    assert.deepEqual([counters.waitedInVain, breaker()], [0, []]);
  });
});

describe('a Redis whose clock shows another time', () => {
  it('keeps a window for as long as it lasts here', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.close());
    for (const aheadMs of [86_400_000, -86_400_000]) {
      const now = () => Date.now() - aheadMs;
      const { counters } = openCounters(t, { now, redis: { url: redis.url, whenAway: 'closed' } });
      const window = claim(`ahead/${aheadMs}`, 3, 1, { start: now() - 500, end: now() + 500 });
      for (let request = 0; request < 3; request += 1)
        (await granted(counters.reserve(organisation, [window]))).reservation.commit([1]);
      assert.deepEqual(await stateOf(counters, window), [3, 0]);
      assert.equal((await counters.reserve(organisation, [window])).granted, false);
    }
  });
});

describe('a Redis that has lost its scripts and counts', () => {
  it('is given both again', async (t) => {
    const source = memoryCounterSource(Date.now);
    const { redis, counters, breaker } = await open(t, 'closed', { source });
    const spend = budget('usage/lost', 100, 1);
    (await granted(counters.reserve(organisation, [spend]))).reservation.commit([60]);
    await until('it is written', () => counters.unflushed === 0);
    await redis.stop();
    await redis.start();
    await until('the breaker closes', () => breaker().at(-1) === 'closed');
    const { states } = await granted(counters.reserve(organisation, [spend]));
    assert.deepEqual(states, [{ used: 60, reserved: 1 }]);
  });

  it('takes a late commit for no figure: what was used before is in the store', async (t) => {
    const source = memoryCounterSource(Date.now);
    const { redis, counters, breaker } = await open(t, 'closed', { source });
    const spend = budget('usage/late', 100, 10);
    (await granted(counters.reserve(organisation, [spend]))).reservation.commit([50]);
    const late = await granted(counters.reserve(organisation, [spend]));
    await until('it is written', () => counters.unflushed === 0);
    await redis.stop();
    await redis.start();
    await until('the breaker closes', () => breaker().at(-1) === 'closed');
    late.reservation.commit([10]);
    assert.deepEqual(await stateOf(counters, spend), [60, 0]);
    const { states } = await granted(counters.reserve(organisation, [spend]));
    assert.deepEqual(states, [{ used: 60, reserved: 10 }]);
  });
});

describe('a second outage', () => {
  it('begins with what the store says then', async (t) => {
    const source = memoryCounterSource(Date.now);
    const { redis, ...bed } = await open(t, 'open', { source });
    const { counters, breaker } = bed;
    const spend = budget('usage/twice', 1_000, 10);
    for (const used of [100, 700]) {
      await source.set({ organisationId: organisation, name: spend.name, start: spend.start }, used);
      redis.freeze();
      await untilOpen(bed);
      const { states, reservation } = await granted(counters.reserve(organisation, [spend]));
      assert.deepEqual(states, [{ used, reserved: 10 }]);
      reservation.release();
      redis.thaw();
      await until('the breaker closes', () => breaker().at(-1) === 'closed');
    }
  });
});

describe('a sum that is told to Redis', () => {
  it('counts once, though it is told twice', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.close());
    const link = new RedisLink({ url: redis.url, log: silentLog, commandTimeoutMs: 5_000, returning: async () => {} });
    t.after(() => link.close());
    const window = claim('told', 100);
    const keys = [markKey(organisation, 'one'), countKey(organisation, window)];
    for (let time = 0; time < 3; time += 1) await link.run('add', keys, ['7', endingOf(window, Date.now())]);
    await link.run('add', [markKey(organisation, 'two'), keys[1] ?? ''], ['2', endingOf(window, Date.now())]);
    const [used] = (await link.run('read', keysOf(organisation, [window]), [])) as readonly string[];
    assert.equal(used, '9');
  });
});
