import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCheckCaches } from '../../../core/checks/check-cache.ts';

function started() {
  let time = 0;
  const caches = createCheckCaches(() => time);
  return { caches, advance: (ms: number) => (time += ms) };
}

describe('the cache of a check', () => {
  it('keeps a value for its time', () => {
    const { caches, advance } = started();
    const cache = caches('unit', 'org');
    cache.set('a', { n: 1 }, 10);
    advance(9999);
    assert.deepEqual(cache.get('a'), { n: 1 });
    advance(1);
    assert.equal(cache.get('a'), undefined);
  });

  it('is of one unit and one organisation alone', () => {
    const { caches } = started();
    caches('unit', 'org').set('a', 1, 10);
    for (const [unit, organisation] of [
      ['other', 'org'],
      ['unit', 'other'],
      ['unit', undefined],
    ] as const)
      assert.equal(caches(unit, organisation).get('a'), undefined);
    assert.equal(caches('unit', 'org').get('a'), 1);
  });

  it('holds a thousand entries, the latest ones', () => {
    const { caches } = started();
    const cache = caches('unit', 'org');
    for (let index = 0; index <= 1000; index += 1) cache.set(String(index), index, 10);
    assert.deepEqual([cache.get('0'), cache.get('1'), cache.get('1000')], [undefined, 1, 1000]);
  });

  const refused: readonly [string, string, string, number][] = [
    ['a time below a second', 'a', '', 0.5],
    ['a time that is no number', 'a', '', Number.NaN],
    ['a time above a day', 'a', '', 86_401],
    ['a value above 16 KiB', 'a', 'ä'.repeat(8192), 10],
    ['a key above 256 characters', 'a'.repeat(257), '', 10],
  ];
  for (const [what, key, value, ttl] of refused) {
    it(`refuses ${what}`, () => {
      const cache = started().caches('unit', 'org');
      assert.throws(() => cache.set(key, value, ttl), { code: 'check_failed' });
      assert.equal(cache.get(key), undefined);
    });
  }

  it('takes what is just within its bounds', () => {
    const cache = started().caches('unit', 'org');
    cache.set('a'.repeat(256), 'a'.repeat(16 * 1024 - 2), 86_400);
    assert.notEqual(cache.get('a'.repeat(256)), undefined);
  });
});
