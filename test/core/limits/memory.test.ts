import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Claim } from 'portcullis/sdk';
import type { MemoryCount } from '../../../core/limits/memory-count.ts';
import { MemoryCounts, type MemoryParts } from '../../../core/limits/memory-counts.ts';
import { organisation } from './bed.ts';

const minuteMs = 60_000;

function open(t: TestContext, parts: Partial<MemoryParts> = {}) {
  const clock = { now: 1_767_225_600_000 };
  const pending = new Set<string>();
  const used: [string, number][] = [];
  const counts = new MemoryCounts({
    now: () => clock.now,
    reservationMs: 10 * minuteMs,
    mostNames: 1_000,
    load: async () => 0,
    pending: ({ name }: MemoryCount) => (pending.has(name) ? 1 : 0),
    used: ({ name }, amount) => used.push([name, amount]),
    ...parts,
  });
  t.after(() => counts.close());
  const minute = (name: string, rest: Partial<Claim> = {}): Claim => {
    const start = clock.now - (clock.now % minuteMs);
    return { name, start, end: start + minuteMs, limit: 10, amount: 1, durable: false, ...rest };
  };
  const reserve = (...claims: readonly Claim[]) => {
    const reserved = counts.reserve(organisation, claims);
    assert.ok(!(reserved instanceof Promise));
    return reserved;
  };
  return { counts, clock, pending, used, minute, reserve };
}

describe('counts in memory', () => {
  it('give back what was held for ten minutes, at the moment that this is over', async (t) => {
    const { counts, clock, minute, reserve } = open(t);
    const window = minute('a', { end: undefined, amount: 10 });
    reserve(window);
    clock.now += minuteMs;
    const early = reserve({ ...window, name: 'b' });
    clock.now += 9 * minuteMs - 1;
    assert.equal(reserve(window).granted, false);
    clock.now += 1;
    assert.equal(reserve(window).granted, true);
    assert.equal(counts.lapsed, 1);
    assert.equal(reserve({ ...window, name: 'b' }).granted, false);
    assert.ok(early.granted);
    early.reservation.release();
    assert.equal(reserve({ ...window, name: 'b' }).granted, true);
  });

  it('take no more room for windows that are over', async (t) => {
    const { counts, clock, minute, reserve } = open(t);
    for (let round = 0; round < 200; round += 1) {
      const reserved = reserve(minute('often'), minute(`once/${round}`));
      assert.ok(reserved.granted);
      reserved.reservation.commit([1, 1]);
      clock.now += minuteMs;
    }
    assert.equal(counts.names, 201);
    clock.now += 2 * minuteMs;
    counts.sweep();
    assert.equal(counts.names, 0);
  });

  it('keep a window that is over as long as a request holds room in it', async (t) => {
    const { counts, clock, minute, reserve, used } = open(t);
    const window = minute('slow');
    const reserved = reserve(window);
    clock.now += 5 * minuteMs;
    counts.sweep();
    assert.equal(counts.names, 1);
    reserve(minute('slow'));
    assert.deepEqual(await counts.read(organisation, [window]), [{ used: 0, reserved: 1 }]);
    assert.ok(reserved.granted);
    reserved.reservation.commit([3]);
    assert.deepEqual(used, [['slow', 3]]);
  });

  it('remember so many names, and forget those first that nobody asks for', async (t) => {
    const { counts, minute, reserve } = open(t, { mostNames: 100 });
    const settled = (claim: Claim) => {
      const reserved = reserve(claim);
      if (reserved.granted) reserved.reservation.commit([claim.amount]);
      return reserved.granted;
    };
    const used = minute('busy', { amount: 10 });
    assert.equal(settled(used), true);
    for (let index = 0; index < 5_000; index += 1) {
      settled(minute(`flood/${index}`));
      if (index % 20 === 0) assert.equal(settled(used), false, 'what is asked for stays');
    }
    assert.ok(counts.names <= 101, `${counts.names} names`);
    assert.ok(counts.forgotten >= 4_800);
  });

  it('never forget room that is held, nor what the store has still to be told', async (t) => {
    const { counts, minute, pending } = open(t, { mostNames: 10 });
    pending.add('budget');
    await counts.reserve(organisation, [minute('budget', { durable: true, end: undefined })]);
    const held = await counts.reserve(organisation, [minute('held', { amount: 10 })]);
    for (let index = 0; index < 500; index += 1) {
      const reserved = await counts.reserve(organisation, [minute(`flood/${index}`)]);
      if (reserved.granted) reserved.reservation.commit([1]);
    }
    assert.equal((await counts.reserve(organisation, [minute('held')])).granted, false);
    assert.ok(held.granted);
    assert.deepEqual(await counts.read(organisation, [minute('budget', { durable: true })]), [
      { used: 1, reserved: 1 },
    ]);
  });
});
