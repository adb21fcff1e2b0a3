import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Claim } from 'portcullis/sdk';
import type { LiveCounters } from '../../../core/limits/counters.ts';
import { startRedis } from '../../support/redis.ts';
import { budget, claim, granted, openCounters, organisation, stateOf, until } from './bed.ts';

const most = Number.MAX_SAFE_INTEGER;
const bound = 9_000_000_000_000_000;
const counts = [claim('rate/huge', most), budget('budget/huge', most, 1)];

/** So many requests at once, each of which says that it has used more than anyone can count. */
async function liars(counters: LiveCounters, claims: readonly Claim[], count: number): Promise<void> {
  const reserved = await Promise.all(
    Array.from({ length: count }, () => granted(counters.reserve(organisation, claims))),
  );
  for (const { reservation } of reserved) reservation.commit([1e300, 1e300]);
}

// Redis counts up to 2^63, and is taken for away where it answers with errors.
it('takes amounts beyond all bounds without an error of Redis', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.close());
  const { counters, breaker } = openCounters(t, { redis: { url: redis.url, whenAway: 'closed' } });
  await granted(counters.reserve(organisation, [claim('probe', most)]));
  await liars(counters, counts, 1_100);
  await until('the commits', async () => (await stateOf(counters, counts[0] as Claim))[1] === 0);
  assert.deepEqual(breaker(), []);
  assert.equal(counters.waitedInVain, 0);
  for (const count of counts) assert.deepEqual(await stateOf(counters, count), [bound, 0]);
});

it('stays at what can be counted exactly in memory as well', async (t) => {
  const { counters } = openCounters(t);
  await liars(counters, counts, 3);
  for (const count of counts) assert.deepEqual(await stateOf(counters, count), [bound, 0]);
});
