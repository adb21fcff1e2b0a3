import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cost, GivenUpReply } from 'portcullis/sdk';
import { chargedWith } from '../../../core/ledger/charge.ts';

const cost = (nanoUsd: number, parts: Readonly<Record<string, number>>): Cost => ({
  nanoUsd,
  parts,
  source: 'catalogue',
});
const free: Cost = { nanoUsd: 0, parts: {}, source: 'none' };
const givenUp: GivenUpReply = {
  target: 'a',
  usage: { input: 5, output: 6, total: 20, cacheRead: 2, serverTools: { search: 1 } },
  usageSource: 'provider',
  cost: cost(30, { input: 10, output: 20 }),
};

describe('the charge of a request whose first reply was given up', () => {
  it('is the sum of all counts, of the cost and of its parts', () => {
    const served = {
      usage: { input: 1, output: 2, reasoning: 1, images: { count: 2 }, serverTools: { search: 2, code: 1 } },
      usageSource: 'provider',
      cost: cost(3, { input: 1, image: 2 }),
    } as const;
    assert.deepEqual(chargedWith(served, [givenUp, givenUp]), {
      usage: {
        input: 11,
        output: 14,
        total: 43,
        cacheRead: 4,
        reasoning: 1,
        images: { count: 2 },
        serverTools: { search: 4, code: 1 },
      },
      usageSource: 'provider',
      cost: cost(63, { input: 21, output: 40, image: 2 }),
    });
  });

  it('counts as billed what one of them counted, where the other was billed for something else', () => {
    const served = {
      usage: { input: 80, output: 9, billed: { input: 7, output: 3 } },
      usageSource: 'provider',
      cost: cost(3, { input: 3 }),
    } as const;
    const { usage } = chargedWith(served, [givenUp]);
    assert.deepEqual([usage?.input, usage?.output, usage?.billed], [85, 15, { input: 12, output: 9 }]);
  });

  it('is that of the first alone where nothing served', () => {
    const { usage, usageSource } = givenUp;
    assert.deepEqual(chargedWith({ usage: undefined, usageSource: undefined, cost: free }, [givenUp]), {
      usage,
      usageSource,
      cost: givenUp.cost,
    });
  });

  it('is estimated, or unknown, where that of one of them is', () => {
    const served = { usage: givenUp.usage, usageSource: 'provider', cost: free } as const;
    const unpriced: GivenUpReply = { ...givenUp, usageSource: 'estimated', cost: undefined };
    const { usageSource, cost: whole } = chargedWith(served, [unpriced, givenUp]);
    assert.deepEqual([usageSource, whole], ['estimated', undefined]);
  });
});
