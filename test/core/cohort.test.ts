import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Cohort } from '../../core/cohort.ts';

describe('a cohort', () => {
  it('takes no step before the turn of the event loop is over, and then all in their order', async () => {
    const cohort = new Cohort();
    const taken: number[] = [];
    for (const step of [1, 2, 3]) cohort.join(() => taken.push(step));
    await Promise.resolve();
    assert.deepEqual(taken, []);
    await turn();
    assert.deepEqual(taken, [1, 2, 3]);
  });

  it('takes what joins while it runs in the next turn', async () => {
    const cohort = new Cohort();
    const taken: string[] = [];
    cohort.join(() => {
      taken.push('first');
      cohort.join(() => taken.push('second'));
    });
    await turn();
    assert.deepEqual(taken, ['first']);
    await turn();
    assert.deepEqual(taken, ['first', 'second']);
  });

  it('takes 64 in a turn, and none is lost or taken twice', async () => {
    const cohort = new Cohort();
    const taken: number[] = [];
    for (let step = 0; step < 150; step += 1) cohort.join(() => taken.push(step));
    const lengths: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await turn();
      if (round === 0) for (let step = 150; step < 160; step += 1) cohort.join(() => taken.push(step));
      lengths.push(taken.length);
    }
    assert.deepEqual(lengths, [64, 128, 160, 160]);
    assert.deepEqual(
      taken,
      Array.from({ length: 160 }, (_, index) => index),
    );
  });

  it('gives each one that waits its turn', async () => {
    const cohort = new Cohort();
    let passed = 0;
    const all = Promise.all(Array.from({ length: 100 }, () => cohort.turn().then(() => (passed += 1))));
    assert.equal(passed, 0);
    await turn();
    await Promise.resolve();
    assert.equal(passed, 64);
    await all;
    assert.equal(passed, 100);
  });
});
