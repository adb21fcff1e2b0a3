import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SharedRedis } from 'portcullis/sdk';
import { EmbeddedIndex } from '../../../plugins/cache/semantic/embedded-index.ts';
import { RedisIndex } from '../../../plugins/cache/semantic/redis-index.ts';
import { unitVector, type VectorIndex } from '../../../plugins/cache/semantic/vector-index.ts';

const keyNo = (number: number) => number.toString(16).padStart(64, '0');

function unit(...values: readonly number[]): Float32Array {
  return unitVector(values) ?? assert.fail('no direction');
}

class Memory implements SharedRedis {
  readonly values = new Map<string, { readonly value: Uint8Array; readonly ttlMs: number }>();

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.values.get(key)?.value;
  }

  async set(key: string, value: Uint8Array, ttlMs: number): Promise<boolean> {
    this.values.set(key, { value, ttlMs });
    return true;
  }

  async delete(key: string): Promise<void> {
    this.values.delete(key);
  }
}

interface Clock {
  now: number;
}

const kinds: Readonly<Record<string, (clock: Clock) => VectorIndex>> = {
  embedded: (clock) => new EmbeddedIndex(1_000_000, () => clock.now),
  Redis: (clock) => new RedisIndex(new Memory(), () => clock.now),
};

for (const [name, make] of Object.entries(kinds)) {
  describe(`the ${name} index`, () => {
    const started = (clock: Clock = { now: 0 }) => make(clock);

    it('gives the keys of the nearest, nearest first', async () => {
      const index = started();
      await index.add('p', { vector: unit(1, 0), key: keyNo(1), endsAt: 100 });
      await index.add('p', { vector: unit(1, 0.1), key: keyNo(2), endsAt: 100 });
      await index.add('p', { vector: unit(0, 1), key: keyNo(3), endsAt: 100 });
      assert.deepEqual(await index.nearest('p', unit(1, 0.08), 0.9), [keyNo(2), keyNo(1)]);
    });

    it('gives three at most', async () => {
      const index = started();
      for (let number = 0; number < 6; number += 1)
        await index.add('p', { vector: unit(1, number / 10), key: keyNo(number), endsAt: 100 });
      assert.deepEqual(await index.nearest('p', unit(1, 0), 0.5), [keyNo(0), keyNo(1), keyNo(2)]);
    });

    it('knows nothing of other partitions', async () => {
      const index = started();
      await index.add('p', { vector: unit(1, 0), key: keyNo(1), endsAt: 100 });
      assert.deepEqual(await index.nearest('q', unit(1, 0), 0.5), []);
    });

    it('gives nothing whose time is over', async () => {
      const clock = { now: 0 };
      const index = started(clock);
      await index.add('p', { vector: unit(1, 0), key: keyNo(1), endsAt: 100 });
      clock.now = 99;
      assert.deepEqual(await index.nearest('p', unit(1, 0), 0.5), [keyNo(1)]);
      clock.now = 100;
      assert.deepEqual(await index.nearest('p', unit(1, 0), 0.5), []);
    });

    it('has one vector for each key', async () => {
      const index = started();
      await index.add('p', { vector: unit(1, 0), key: keyNo(1), endsAt: 100 });
      await index.add('p', { vector: unit(0, 1), key: keyNo(1), endsAt: 200 });
      assert.deepEqual(await index.nearest('p', unit(1, 0), 0.5), []);
      assert.deepEqual(await index.nearest('p', unit(0, 1), 0.5), [keyNo(1)]);
    });

    it('compares no vectors of different lengths', async () => {
      const index = started();
      await index.add('p', { vector: unit(1, 0), key: keyNo(1), endsAt: 100 });
      assert.deepEqual(await index.nearest('p', unit(1, 0, 0), 0.5), []);
      await index.add('p', { vector: unit(1, 0, 0), key: keyNo(2), endsAt: 100 });
      assert.deepEqual(await index.nearest('p', unit(1, 0, 0), 0.5), [keyNo(2)]);
    });

    it('gives what a search by hand gives', async () => {
      const vector = fc
        .array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 })
        .filter((values) => values.some((value) => value !== 0));
      await fc.assert(
        fc.asyncProperty(fc.array(vector, { maxLength: 20 }), vector, async (vectors, asked) => {
          const index = started();
          for (const [number, values] of vectors.entries())
            await index.add('p', { vector: unit(...values), key: keyNo(number), endsAt: 100 });
          const found = await index.nearest('p', unit(...asked), 0.8);
          const cosines = vectors.map((values) => cosine(values, asked));
          const expected = cosines.filter((value) => value >= 0.8).toSorted((a, b) => b - a);
          // Floats have seven digits: those that are that near to each other may change places.
          fc.pre(cosines.every((value) => Math.abs(value - 0.8) > 1e-5));
          const given = found.map((key) => cosines[Number.parseInt(key, 16)] ?? 0);
          assert.equal(given.length, Math.min(3, expected.length));
          for (const [place, value] of given.entries()) assert.ok(Math.abs(value - (expected[place] ?? 0)) < 1e-5);
        }),
        { numRuns: 200 },
      );
    });
  });
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  return dot / (Math.hypot(...a) * Math.hypot(...b));
}

describe('the embedded index', () => {
  it('stays within its bytes, and lets the partition go that was used least recently', () => {
    const index = new EmbeddedIndex(20_000, () => 0);
    const vector = unit(...Array.from({ length: 256 }, (_, place) => place + 1));
    for (const name of ['a', 'b', 'c']) index.add(name, { vector, key: keyNo(1), endsAt: 100 });
    index.nearest('a', vector, 0.5);
    for (const name of ['d', 'e']) index.add(name, { vector, key: keyNo(1), endsAt: 100 });
    assert.ok(index.bytes <= 20_000);
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => index.nearest(name, vector, 0.5).length),
      [1, 0, 1, 1, 1],
    );
  });

  it('holds two thousand vectors of a partition; then the oldest gives way', () => {
    const index = new EmbeddedIndex(10_000_000, () => 0);
    // Each points somewhere else on the half circle.
    const at = (number: number) => unit(Math.cos(number / 1_000), Math.sin(number / 1_000));
    for (let number = 0; number < 2_001; number += 1)
      index.add('p', { vector: at(number), key: keyNo(number), endsAt: 100 });
    assert.equal(index.nearest('p', at(0), 0.999_999_9).includes(keyNo(0)), false);
    assert.equal(index.nearest('p', at(2_000), 0.999_999)[0], keyNo(2_000));
    assert.equal(index.nearest('p', at(1), 0.999_999)[0], keyNo(1));
  });

  it('takes no partition that is larger than all of it', () => {
    const index = new EmbeddedIndex(1_000, () => 0);
    const vector = unit(...Array.from({ length: 4_096 }, () => 1));
    index.add('p', { vector, key: keyNo(1), endsAt: 100 });
    assert.deepEqual([index.nearest('p', vector, 0.5), index.bytes], [[], 0]);
  });
});

describe('the Redis index', () => {
  const long = (first: number) => unit(first, ...Array.from({ length: 1_535 }, () => 0.01));

  it('keeps a partition within 1 MiB, the youngest first', async () => {
    const redis = new Memory();
    const index = new RedisIndex(redis, () => 0);
    for (let number = 0; number < 180; number += 1)
      await index.add('p', { vector: long(1), key: keyNo(number), endsAt: 1_000 });
    const [stored] = redis.values.values();
    assert.ok(stored !== undefined && stored.value.byteLength <= 1024 * 1024);
    assert.deepEqual(await index.nearest('p', long(1), 0.9), [keyNo(179), keyNo(178), keyNo(177)]);
  });

  it('lets Redis forget a partition with the last of its replies', async () => {
    const redis = new Memory();
    const index = new RedisIndex(redis, () => 40);
    await index.add('p', { vector: unit(1, 0), key: keyNo(1), endsAt: 500 });
    await index.add('p', { vector: unit(0, 1), key: keyNo(2), endsAt: 100 });
    assert.deepEqual(
      [...redis.values].map(([key, { ttlMs }]) => [key, ttlMs]),
      [['vectors:p', 460]],
    );
  });

  it('makes nothing of bytes that are not its own', async () => {
    const redis = new Memory();
    await redis.set('vectors:p', Buffer.from('x'.repeat(100)), 1);
    assert.deepEqual(await new RedisIndex(redis, () => 0).nearest('p', unit(1, 0), 0.5), []);
  });
});
