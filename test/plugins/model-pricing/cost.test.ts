import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Cost, Usage } from 'portcullis/sdk';
import { chargesOf } from '../../../plugins/model-pricing/charges.ts';
import { rounded, sumOf } from '../../../plugins/model-pricing/cost.ts';
import { decimalOf, one } from '../../../plugins/model-pricing/decimals.ts';
import { unmultiplied } from '../../../plugins/model-pricing/multipliers.ts';
import type { Rates } from '../../../plugins/model-pricing/prices.ts';
import { tokenCounts } from '../../../plugins/model-pricing/token-counts.ts';

function costOf(rates: Rates, usage: Usage): Cost {
  const charges = chargesOf({ rates, factor: one }, false, new Map(), unmultiplied);
  const sum = sumOf(charges, usage);
  assert.ok(sum !== undefined);
  return rounded(sum, charges.perNanoUsd, 'test');
}

/** Rates as lists have them: cents per token, of at most five digits. */
const rate = fc
  .tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 5, max: 11 }))
  .map(([digits, places]) => Number(`${digits}e-${places}`));
const rates = fc.record({
  request_token: rate,
  response_token: rate,
  cache_read_input_token: rate,
  cache_write_input_token: rate,
  cache_write_1h_input_token: rate,
  reasoning_token: rate,
});
const tokens = fc.nat({ max: 2_000_000 });
/** As a provider that counts right would have it. */
const usages: fc.Arbitrary<Usage> = fc
  .tuple(tokens, tokens, tokens, tokens, tokens, tokens)
  .map(([fresh, cacheRead, write5m, cacheWrite1h, said, reasoning]) => ({
    input: fresh + cacheRead + write5m + cacheWrite1h,
    output: said + reasoning,
    cacheRead,
    cacheWrite: write5m + cacheWrite1h,
    cacheWrite1h,
    reasoning,
  }));

function added(a: Usage, b: Usage): Usage {
  const keys = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning'] as const;
  return Object.fromEntries(keys.map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)])) as unknown as Usage;
}

describe('a cost', () => {
  it('is that of the tokens that are billed, where the provider says so', () => {
    const list: Rates = { request_token: 0.001, response_token: 0.01, cache_read_input_token: 0.0001 };
    const counted: Usage = { input: 500, output: 40, cacheRead: 20 };
    const billed = { input: 100, output: 4 };
    assert.deepEqual(costOf(list, { ...counted, billed }), costOf(list, billed));
    assert.equal(
      costOf({ request_token: 0.001 }, { ...counted, cacheRead: 400, billed: { input: 100, output: 0 } }).nanoUsd,
      1_000_000,
    );
  });

  it('of a usage in two requests differs from that of one by rounding alone', () => {
    fc.assert(
      fc.property(rates, usages, usages, (list, a, b) => {
        const apart = costOf(list, a).nanoUsd + costOf(list, b).nanoUsd;
        assert.ok(Math.abs(apart - costOf(list, added(a, b)).nanoUsd) <= 1);
      }),
    );
  });

  it('is a whole number, the sum of its parts, none of which is below zero', () => {
    fc.assert(
      fc.property(rates, usages, (list, usage) => {
        const { nanoUsd, parts } = costOf(list, usage);
        const all = Object.values(parts);
        assert.ok(Number.isSafeInteger(nanoUsd) && all.every((part) => Number.isSafeInteger(part) && part >= 0));
        assert.equal(
          all.reduce((sum, part) => sum + part, 0),
          nanoUsd,
        );
      }),
    );
  });

  it('is exact: what whole numbers of a smaller unit give, rounded once', () => {
    // In tenths of a millionth of a nano-USD every rate of the list is whole: cents of eleven places times 10^7 and 10^7.
    fc.assert(
      fc.property(rates, usages, (list, usage) => {
        const counts = tokenCounts(usage);
        let sum = 0n;
        for (const [kind, value] of Object.entries(list)) {
          sum += BigInt(Math.round(value * 1e11)) * 1000n * BigInt(counts[kind as keyof typeof counts]);
        }
        assert.equal(costOf(list, usage).nanoUsd, Number((sum * 2n + 10_000_000n) / 20_000_000n));
      }),
    );
  });

  it('of a million requests is a million times that of one', () => {
    const list = { request_token: 1.1e-4, response_token: 3.3e-4 };
    const each = costOf(list, { input: 7, output: 3 }).nanoUsd;
    let sum = 0;
    for (let request = 0; request < 1_000_000; request++) sum += each;
    assert.equal(sum, costOf(list, { input: 7_000_000, output: 3_000_000 }).nanoUsd);
    // 7 x 1.1 + 3 x 3.3 are 17.6 ten-thousandths of a cent.
    assert.equal(each, 17_600);
  });

  it('stays whole where floating numbers would not', () => {
    assert.equal(costOf({ request_token: 0.1, response_token: 0.2 }, { input: 1, output: 1 }).nanoUsd, 3_000_000);
    assert.equal(costOf({ request_token: 1e-7 }, { input: 1, output: 0 }).nanoUsd, 1);
    assert.equal(costOf({ request_token: 0.49e-7 }, { input: 1, output: 0 }).nanoUsd, 0);
    assert.equal(costOf({ request_token: 0.5e-7 }, { input: 1, output: 0 }).nanoUsd, 1);
    assert.equal(costOf({ request_token: 3e-4 }, { input: 9e12, output: 0 }).nanoUsd, 9e12 * 3000);
  });
});

describe('the tokens of a usage', () => {
  it('are counted once each, whatever a provider says of their parts', () => {
    const some = fc.option(fc.nat({ max: 5000 }), { nil: undefined });
    const parts = fc.record({
      audioInput: some,
      imageInput: some,
      cacheReadAudio: some,
      cacheReadImage: some,
      audioOutput: some,
      imageOutput: some,
      reasoning: some,
      acceptedPrediction: some,
      rejectedPrediction: some,
    });
    fc.assert(
      fc.property(usages, parts, (usage, more) => {
        const defined = Object.fromEntries(Object.entries(more).filter(([, count]) => count !== undefined));
        const counts = Object.values(tokenCounts({ ...usage, ...defined }));
        assert.ok(counts.every((count) => Number.isSafeInteger(count) && count >= 0));
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          usage.input + usage.output,
        );
      }),
    );
  });

  for (const strange of [Number.NaN, Number.POSITIVE_INFINITY, -7, 1e300]) {
    it(`are none where there are ${strange}`, () => {
      const counts = tokenCounts({ input: strange, output: strange, cacheRead: strange });
      assert.ok(Object.values(counts).every((count) => count === 0));
    });
  }
});

describe('a decimal', () => {
  it('is the number as it is written', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (value) => {
        const { units, places } = decimalOf(value);
        assert.equal(Number(`${units}e${-places}`), value);
      }),
    );
  });
});
