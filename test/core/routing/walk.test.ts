import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from 'portcullis/sdk';
import { type WalkFacts, walk } from '../../../core/routing/walk.ts';
import { compile, factsOf, seeded, targets } from './plans.ts';

interface Trace {
  readonly tried: readonly string[];
  readonly discarded: readonly string[];
  readonly status: number;
}

async function trace(
  config: unknown,
  statuses: Readonly<Record<string, number>>,
  facts: WalkFacts = factsOf(),
): Promise<Trace> {
  const tried: string[] = [];
  const discarded: string[] = [];
  const run = async (leaf: { readonly provider?: string }) => {
    const provider = leaf.provider ?? '';
    tried.push(provider);
    return { status: statuses[provider] ?? 200, provider };
  };
  const outcome = await walk(compile(config), facts, run, undefined, ({ provider }) => discarded.push(provider));
  return { tried, discarded, status: outcome.status };
}

describe('the single strategy', () => {
  it('calls the first target only', async () => {
    const { tried, status } = await trace({ strategy: { mode: 'single' }, targets: targets(2) }, { p0: 500 });
    assert.deepEqual([tried, status], [['p0'], 500]);
  });
});

describe('the fallback strategy', () => {
  const table = [
    { codes: undefined, first: 200, goesOn: false },
    { codes: undefined, first: 246, goesOn: false },
    { codes: undefined, first: 302, goesOn: true },
    { codes: undefined, first: 400, goesOn: true },
    { codes: undefined, first: 408, goesOn: true },
    { codes: undefined, first: 446, goesOn: true },
    { codes: undefined, first: 500, goesOn: true },
    { codes: [429], first: 429, goesOn: true },
    { codes: [429], first: 200, goesOn: false },
    { codes: [429], first: 500, goesOn: false },
    { codes: [429], first: 408, goesOn: false },
    { codes: [246], first: 246, goesOn: true },
  ];
  for (const { codes, first, goesOn } of table) {
    it(`${goesOn ? 'goes on' : 'stops'} at ${first} with ${codes === undefined ? 'no list' : `[${codes}]`}`, async () => {
      const strategy = { mode: 'fallback', ...(codes === undefined ? {} : { on_status_codes: codes }) };
      const { tried } = await trace({ strategy, targets: targets(2) }, { p0: first });
      assert.deepEqual(tried, goesOn ? ['p0', 'p1'] : ['p0']);
    });
  }

  it('gives the last outcome when every target fails, and frees the others', async () => {
    const seen = await trace({ strategy: { mode: 'fallback' }, targets: targets(3) }, { p0: 500, p1: 429, p2: 503 });
    assert.deepEqual(seen, { tried: ['p0', 'p1', 'p2'], discarded: ['p0', 'p1'], status: 503 });
  });

  it('goes on after a nested strategy has failed as a whole', async () => {
    const inner = { strategy: { mode: 'fallback' }, targets: targets(2) };
    const seen = await trace(
      { strategy: { mode: 'fallback' }, targets: [inner, { provider: 'q' }] },
      { p0: 500, p1: 500 },
    );
    assert.deepEqual(seen.tried, ['p0', 'p1', 'q']);
  });

  it('tries nothing more once the caller has gone', async () => {
    const facts = factsOf({ cancelled: () => true });
    const inner = { strategy: { mode: 'fallback' }, targets: targets(2) };
    const seen = await trace(
      { strategy: { mode: 'fallback' }, targets: [inner, { provider: 'q' }] },
      { p0: 500 },
      facts,
    );
    assert.deepEqual(seen, { tried: ['p0'], discarded: [], status: 500 });
  });

  it('lets a throw end the request', async () => {
    const plan = compile({ strategy: { mode: 'fallback' }, targets: targets(2) });
    let calls = 0;
    const run = async () => {
      calls += 1;
      throw new GatewayError('bad_request', 'No.');
    };
    await assert.rejects(walk(plan, factsOf(), run), { code: 'bad_request' });
    assert.equal(calls, 1);
  });
});

describe('the loadbalance strategy', () => {
  const weighted = (weights: readonly (number | undefined)[], strategy: object = {}) => ({
    strategy: { mode: 'loadbalance', ...strategy },
    targets: weights.map((weight, index) => ({ provider: `p${index}`, ...(weight === undefined ? {} : { weight }) })),
  });
  const pick = async (config: unknown, facts: WalkFacts) => (await trace(config, {}, facts)).tried.join();

  it('spreads requests by weight', async () => {
    const random = seeded(7);
    const plan = compile(weighted([5, 3, undefined, 0]));
    const counts: Record<string, number> = {};
    for (let round = 0; round < 9000; round += 1) {
      const { provider } = await walk(plan, factsOf({ random }), async (leaf) => ({
        status: 200,
        provider: leaf.provider ?? '',
      }));
      counts[provider] = (counts[provider] ?? 0) + 1;
    }
    assert.equal(counts.p3, undefined);
    for (const [provider, expected] of [
      ['p0', 5000],
      ['p1', 3000],
      ['p2', 1000],
    ] as const) {
      assert.ok(Math.abs((counts[provider] ?? 0) - expected) < 250, `${provider}: ${counts[provider]}`);
    }
  });

  it('always picks a target of a weight above 0', async () => {
    const weight = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true }));
    const weights = fc.array(weight, { minLength: 1, maxLength: 8 }).filter((list) => list.some((item) => item > 0));
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(weights, chance, fc.boolean(), async (list, random, sticky) => {
        const strategy = sticky ? { sticky: { hash_fields: ['metadata.user'] } } : {};
        const facts = factsOf({ random: () => random, metadata: { user: String(random) } });
        const picked = await pick(weighted(list, strategy), facts);
        assert.ok((list[Number(picked.slice(1))] ?? 0) > 0, picked);
      }),
    );
  });

  describe('with a sticky rule', () => {
    const config = weighted([1, 1, 2], {
      sticky: { enabled: true, hash_fields: ['metadata.user_id', 'params.user'], ttl: 100 },
    });
    const plan = compile(config);
    const at = async (user: string, ms: number, random = 0) => {
      const facts = factsOf({ metadata: { user_id: user }, now: () => ms, random: () => random });
      return (await walk(plan, facts, async (leaf) => ({ status: 200, provider: leaf.provider ?? '' }))).provider;
    };
    const users = Array.from({ length: 400 }, (_, index) => `user-${index}`);

    it('gives a caller the same target in every process and whatever the chance', async () => {
      const again = compile(structuredClone(config));
      for (const user of users.slice(0, 50)) {
        const facts = factsOf({ metadata: { user_id: user }, now: () => 5000, random: () => 0.99 });
        const other = await walk(again, facts, async (leaf) => ({ status: 200, provider: leaf.provider }));
        assert.equal(other.provider, await at(user, 5000));
      }
    });

    it('moves a caller at most once within a ttl', async () => {
      for (const user of users.slice(0, 50)) {
        const seen: string[] = [];
        for (let ms = 1_000_000; ms < 1_100_000; ms += 5000) seen.push(await at(user, ms));
        const moves = seen.filter((provider, index) => index > 0 && provider !== seen[index - 1]).length;
        assert.ok(moves <= 1, seen.join());
      }
    });

    it('spreads callers by weight', async () => {
      const counts: Record<string, number> = {};
      for (const user of users) counts[await at(user, 0)] = (counts[await at(user, 0)] ?? 0) + 1;
      assert.ok(Math.abs((counts.p2 ?? 0) - 200) < 50, JSON.stringify(counts));
      assert.ok(Math.abs((counts.p0 ?? 0) - 100) < 50, JSON.stringify(counts));
    });

    it('lets callers move at different moments, and does let them move', async () => {
      const movedBetween = async (from: number, to: number) => {
        const moved = await Promise.all(users.map(async (user) => (await at(user, from)) !== (await at(user, to))));
        return moved.filter(Boolean).length;
      };
      assert.ok((await movedBetween(0, 5000)) < 60);
      assert.ok((await movedBetween(0, 200_000)) > 150);
    });

    it('falls back to chance for a request without any of the fields', async () => {
      const facts = (random: number) => factsOf({ random: () => random });
      assert.deepEqual([await pick(config, facts(0)), await pick(config, facts(0.99))], ['p0', 'p2']);
    });

    it('does nothing when it is switched off', async () => {
      const off = weighted([1, 1], { sticky: { enabled: false, hash_fields: ['metadata.user_id'] } });
      const facts = (random: number) => factsOf({ random: () => random, metadata: { user_id: 'u' } });
      assert.deepEqual([await pick(off, facts(0)), await pick(off, facts(0.99))], ['p0', 'p1']);
    });
  });
});
