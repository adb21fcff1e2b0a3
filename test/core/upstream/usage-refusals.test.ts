import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AskedPlace, UsageRefusals } from '../../../core/upstream/usage-refusals.ts';

const place: AskedPlace = { provider: 'alpha', base: 'https://alpha.example/v1', model: 'm' };
const dayMs = 86_400_000;

describe('what is remembered of hosts that refuse to be asked for token counts', () => {
  it('holds for a model of a provider at one base URL, and for a day', () => {
    let now = 1_000;
    const refusals = new UsageRefusals(() => now);
    assert.equal(refusals.has(place), false);
    refusals.add(place);
    assert.equal(refusals.has(place), true);
    for (const other of [{ provider: 'beta' }, { base: 'https://other.example/v1' }, { model: 'n' }]) {
      assert.equal(refusals.has({ ...place, ...other }), false);
    }
    now += dayMs - 1;
    assert.equal(refusals.has(place), true);
    now += 1;
    assert.equal(refusals.has(place), false);
  });

  it('is at most 1,000 places with names that are not too long: callers name them', () => {
    const refusals = new UsageRefusals(() => 0);
    const longest = { ...place, model: 'm'.repeat(2_000) };
    refusals.add(longest);
    assert.equal(refusals.has(longest), false);
    for (let number = 0; number <= 1_000; number += 1) refusals.add({ ...place, model: `m${number}` });
    assert.deepEqual(
      [refusals.has({ ...place, model: 'm0' }), refusals.has({ ...place, model: 'm1000' })],
      [false, true],
    );
  });
});
