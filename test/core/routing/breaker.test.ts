import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Breaker, createBreakers } from '../../../core/routing/breaker.ts';
import type { BreakerRule } from '../../../core/routing/plan.ts';
import { walk } from '../../../core/routing/walk.ts';
import { compile, condition, factsOf, leafAt, targets } from './plans.ts';

function clocked(changed: Partial<BreakerRule>) {
  const clock = { ms: 1_000_000 };
  const breaker = new Breaker({ minimumRequests: 10, cooldownMs: 30_000, ...changed }, () => clock.ms);
  const calls = (...statuses: readonly number[]) => {
    for (const status of statuses) breaker.enter().settle(status);
  };
  return { clock, breaker, calls };
}

describe('a breaker', () => {
  it('opens once failures reach the threshold', () => {
    const { breaker, calls } = clocked({ failureThreshold: 3 });
    calls(503, 200, 503);
    assert.equal(breaker.open, false);
    calls(503);
    assert.equal(breaker.open, true);
  });

  const statuses = [
    { codes: undefined, status: 500, counts: false },
    { codes: undefined, status: 501, counts: true },
    { codes: undefined, status: 429, counts: false },
    { codes: [429], status: 429, counts: true },
    { codes: [429], status: 503, counts: false },
  ];
  for (const { codes, status, counts } of statuses) {
    it(`${counts ? 'counts' : 'does not count'} ${status} with ${codes === undefined ? 'no list' : `[${codes}]`}`, () => {
      const { breaker, calls } = clocked({
        failureThreshold: 1,
        ...(codes === undefined ? {} : { failureStatusCodes: codes }),
      });
      calls(status);
      assert.equal(breaker.open, counts);
    });
  }

  it('looks at the share of failures only after the minimum of requests', () => {
    const { breaker, calls } = clocked({ failurePercentage: 50, minimumRequests: 4 });
    calls(503, 503, 200);
    assert.equal(breaker.open, false);
    calls(503);
    assert.equal(breaker.open, true);
  });

  it('stays closed below the share', () => {
    const { breaker, calls } = clocked({ failurePercentage: 50, minimumRequests: 4 });
    calls(503, 200, 200, 503, 200, 200, 503);
    assert.equal(breaker.open, false);
  });

  it('forgets failures after a minute', () => {
    const { breaker, calls, clock } = clocked({ failureThreshold: 2 });
    calls(503);
    clock.ms += 60_000;
    calls(503);
    assert.equal(breaker.open, false);
    clock.ms += 40_000;
    calls(503);
    assert.equal(breaker.open, true);
  });

  it('lets one probe through after the cooldown, and closes on its success', () => {
    const { breaker, calls, clock } = clocked({ failureThreshold: 1 });
    calls(503);
    clock.ms += 29_999;
    assert.equal(breaker.open, true);
    clock.ms += 1;
    assert.equal(breaker.open, false);
    const probe = breaker.enter();
    assert.equal(breaker.open, true);
    probe.settle(200);
    assert.equal(breaker.open, false);
    assert.equal(clocked({ failureThreshold: 1 }).breaker.open, false);
  });

  it('starts another cooldown when the probe fails', () => {
    const { breaker, calls, clock } = clocked({ failureThreshold: 2 });
    calls(503, 503);
    clock.ms += 30_000;
    calls(503);
    clock.ms += 29_999;
    assert.equal(breaker.open, true);
    clock.ms += 1;
    assert.equal(breaker.open, false);
  });

  it('counts from zero after it has closed', () => {
    const { breaker, calls, clock } = clocked({ failureThreshold: 2 });
    calls(503, 503);
    clock.ms += 30_000;
    calls(200, 503);
    assert.equal(breaker.open, false);
  });

  it('gives the probe to the next when the first said nothing or never came back', () => {
    const { breaker, calls, clock } = clocked({ failureThreshold: 1 });
    calls(503);
    clock.ms += 30_000;
    breaker.enter().release();
    assert.equal(breaker.open, false);
    breaker.enter();
    assert.equal(breaker.open, true);
    clock.ms += 30_000;
    assert.equal(breaker.open, false);
  });

  it('does not let a call that began before it opened close it', () => {
    const { breaker, calls } = clocked({ failureThreshold: 1 });
    const early = breaker.enter();
    calls(503);
    early.settle(200);
    assert.equal(breaker.open, true);
  });

  it('closes on a success that came round it while it was open', () => {
    const { breaker, calls } = clocked({ failureThreshold: 1 });
    calls(503, 200);
    assert.equal(breaker.open, false);
  });

  it('takes one result from one call', () => {
    const { breaker } = clocked({ failureThreshold: 2 });
    const permit = breaker.enter();
    permit.settle(503);
    permit.settle(503);
    permit.release();
    assert.equal(breaker.open, false);
  });
});

describe('breakers in a walk', () => {
  const strategy = (mode: string) => ({ mode, cb_config: { failure_threshold: 1 } });

  function session(config: unknown) {
    const clock = { ms: 0 };
    const breakers = createBreakers(() => clock.ms);
    const plan = compile(config);
    const call = async (statuses: Readonly<Record<string, number>>, scope?: string) => {
      const tried: string[] = [];
      const facts = factsOf({ now: () => clock.ms, ...(scope === undefined ? {} : { scope }) });
      const run = async (leaf: { readonly provider?: string }) => {
        tried.push(leaf.provider ?? '');
        return { status: statuses[leaf.provider ?? ''] ?? 200 };
      };
      await walk(plan, facts, run, breakers);
      return tried.join();
    };
    return { clock, call };
  }

  it('pass over an open target in a fallback until it has cooled down', async () => {
    const { clock, call } = session({ strategy: strategy('fallback'), targets: targets(2) });
    assert.equal(await call({ p0: 503 }), 'p0,p1');
    assert.equal(await call({}), 'p1');
    clock.ms += 30_000;
    assert.equal(await call({}), 'p0');
    assert.equal(await call({}), 'p0');
  });

  it('leave an open target out of the draw', async () => {
    const { call } = session({ strategy: strategy('loadbalance'), targets: targets(2) });
    assert.equal(await call({ p0: 503 }), 'p0');
    assert.equal(await call({}), 'p1');
  });

  it('are bypassed when every target is open', async () => {
    const fallback = session({ strategy: strategy('fallback'), targets: targets(2) });
    assert.equal(await fallback.call({ p0: 503, p1: 503 }), 'p0,p1');
    assert.equal(await fallback.call({ p0: 503, p1: 503 }), 'p0,p1');
    const loadbalance = session({ strategy: strategy('loadbalance'), targets: targets(1) });
    await loadbalance.call({ p0: 503 });
    assert.equal(await loadbalance.call({}), 'p0');
  });

  it('pass over a nested strategy whose targets are all open', async () => {
    const inner = { strategy: { mode: 'fallback' }, targets: targets(2) };
    const { call } = session({ strategy: strategy('fallback'), targets: [inner, { provider: 'q' }] });
    assert.equal(await call({ p0: 503, p1: 503 }), 'p0,p1,q');
    assert.equal(await call({}), 'q');
  });

  it('are not asked by a conditional strategy', async () => {
    const conditions = [condition({ 'url.pathname': { $regex: '.' } }, 'a')];
    const { call } = session({
      strategy: { ...strategy('conditional'), conditions },
      targets: [{ provider: 'p0', name: 'a' }, { provider: 'p1' }],
    });
    await call({ p0: 503 });
    assert.equal(await call({}), 'p0');
  });

  it('belong to one scope each', async () => {
    const { call } = session({ strategy: strategy('fallback'), targets: targets(2) });
    await call({ p0: 503 }, 'tenant-a');
    assert.equal(await call({}, 'tenant-a'), 'p1');
    assert.equal(await call({}, 'tenant-b'), 'p0');
  });

  it('free the probe when the call throws', async () => {
    const clock = { ms: 0 };
    const breakers = createBreakers(() => clock.ms);
    const plan = compile({ strategy: strategy('fallback'), targets: targets(2) });
    const facts = factsOf({ now: () => clock.ms });
    await walk(plan, facts, async (leaf) => ({ status: leaf.provider === 'p0' ? 503 : 200 }), breakers);
    clock.ms += 30_000;
    await assert.rejects(
      walk(plan, facts, () => Promise.reject(new Error('gone')), breakers),
      /gone/,
    );
    const next = await walk(plan, facts, async (leaf) => ({ status: 200, provider: leaf.provider }), breakers);
    assert.equal(next.provider, 'p0');
  });
});

describe('the store of breakers', () => {
  const config = (timeout: number) => ({
    request_timeout: timeout,
    strategy: { mode: 'fallback', cb_config: { failure_threshold: 1 } },
    targets: targets(2),
  });

  it('finds the breaker of a plan that was compiled anew', () => {
    const breakers = createBreakers(() => 0);
    const leaf = leafAt(config(1), 'config.targets[0]');
    breakers
      .of(compile(config(1)), leaf)
      ?.enter()
      .settle(503);
    assert.equal(breakers.of(compile(config(1)), leaf)?.open, true);
    assert.equal(breakers.of(compile(config(2)), leaf)?.open, false);
  });

  it('forgets the config unused for longest', () => {
    const breakers = createBreakers(() => 0, 2);
    const leaf = leafAt(config(1), 'config.targets[0]');
    const open = (timeout: number) => breakers.of(compile(config(timeout)), leaf)?.open;
    for (const timeout of [1, 2])
      breakers
        .of(compile(config(timeout)), leaf)
        ?.enter()
        .settle(503);
    assert.equal(open(1), true);
    assert.equal(open(3), false);
    assert.equal(open(1), true);
    assert.equal(open(2), false);
  });

  it('has none for a target without a rule', () => {
    assert.equal(
      createBreakers(() => 0).of(compile({ provider: 'p' }), leafAt({ provider: 'p' }, 'config')),
      undefined,
    );
  });
});
