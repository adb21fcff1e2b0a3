import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packed, unpacked } from '../../../plugins/cache/entry.ts';
import { BoundedMap, memoryKeyv } from '../../../plugins/cache/stores/memory.ts';

const overhead = 512;
const held = (bytes: number) => ({ value: Buffer.alloc(bytes) });

describe('the map of replies', () => {
  it('forgets what was used least recently, once there is no more room', () => {
    const map = new BoundedMap(3 * (overhead + 100));
    map.set('a', held(100)).set('b', held(100)).set('c', held(100));
    map.get('a');
    map.set('d', held(100));
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => map.has(key)),
      [true, false, true, true],
    );
  });

  it('takes nothing that is larger than all of it', () => {
    const map = new BoundedMap(2_000).set('a', held(10));
    map.set('b', held(2_000));
    assert.deepEqual([map.has('a'), map.has('b')], [true, false]);
  });

  it('forgets the older value of a key even where the new one is too large', () => {
    const map = new BoundedMap(2_000).set('a', held(10));
    map.set('a', held(2_000));
    assert.deepEqual([map.get('a'), map.bytes], [undefined, 0]);
  });

  it('is never larger than its bound, and always knows how large it is', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      bytes: fc.integer({ min: 0, max: 3_000 }),
      act: fc.constantFrom('set', 'get', 'delete', 'clear'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = new BoundedMap(8_000);
        for (const { key, bytes, act } of steps) {
          if (act === 'set') map.set(key, held(bytes));
          if (act === 'get') map.get(key);
          if (act === 'delete') map.delete(key);
          if (act === 'clear') map.clear();
          const there = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((name) => map.get(name) ?? []);
          const sum = there.reduce((total, { value }) => total + value.byteLength + overhead, 0);
          assert.deepEqual([map.bytes, sum <= 8_000], [sum, true]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('stands behind Keyv, which gives the very bytes back', async () => {
    const keyv = memoryKeyv(10_000);
    const bytes = Buffer.from('reply');
    await keyv.set('k', bytes, 60_000);
    assert.equal(await keyv.get('k'), bytes);
    assert.equal(await keyv.get('other'), undefined);
  });
});

describe('a packed reply', () => {
  const entry = {
    madeAt: 1_700_000_000_000,
    status: 200,
    headers: { 'content-type': 'application/json' },
    stream: false,
    bytes: Buffer.from('{"é":1}'),
    provider: 'some',
    model: 'm',
    usage: { input: 1, output: 2, total: 3 },
    nanoUsd: 12,
  };

  it('is unpacked as it was', () => {
    assert.deepEqual(unpacked(packed(entry)), entry);
    const bare = { ...entry, provider: undefined, model: undefined, usage: undefined, nanoUsd: undefined };
    assert.deepEqual(unpacked(packed(bare)), bare);
  });

  it('is unpacked wherever it stands in a larger buffer', () => {
    const shifted = Buffer.concat([Buffer.from('abc'), packed(entry)]).subarray(3);
    assert.deepEqual(unpacked(new Uint8Array(shifted.buffer, shifted.byteOffset, shifted.length)), entry);
  });

  it('is nothing when a part of it is missing, or when another version has packed it', () => {
    const whole = packed(entry);
    for (let length = 0; length < whole.length; length += 1) {
      assert.equal(unpacked(whole.subarray(0, length)), undefined, `${length} bytes`);
    }
    assert.equal(unpacked(Buffer.concat([Buffer.from([2]), whole.subarray(1)])), undefined);
    assert.equal(unpacked(Buffer.concat([whole, Buffer.from('x')])), undefined);
  });

  it('is nothing for any other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        assert.equal(unpacked(Uint8Array.from([1, ...bytes])), undefined);
      }),
      { numRuns: 1_000 },
    );
  });
});
