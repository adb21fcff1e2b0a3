import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, condition, targets } from './plans.ts';

const p = { provider: 'p' };

describe('caps on targets', () => {
  const root = (mode: string, count: number) => ({
    strategy: mode === 'conditional' ? { mode, conditions: [condition({ 'params.a': 1 }, 'a')] } : { mode },
    targets: [{ ...p, name: 'a' }, ...targets(count - 1)],
  });
  const nested = (count: number) => ({
    strategy: { mode: 'single' },
    targets: [{ strategy: { mode: 'fallback' }, targets: targets(count) }],
  });
  const spread = (count: number) => {
    const inner = { strategy: { mode: 'fallback' }, targets: targets(count - 1) };
    return { strategy: { mode: 'single' }, targets: [{ strategy: { mode: 'single' }, targets: [inner] }] };
  };
  const small = { root: 3, conditionalRoot: 5, nested: 2 };
  const cases = [
    { what: '100 root targets', make: (count: number) => root('fallback', count), cap: 100, caps: undefined },
    {
      what: '1,000 conditional root targets',
      make: (count: number) => root('conditional', count),
      cap: 1000,
      caps: undefined,
    },
    { what: '50 nested targets', make: nested, cap: 50, caps: undefined },
    { what: '50 nested targets over two levels', make: spread, cap: 50, caps: undefined },
    { what: 'the operator’s 3 root targets', make: (count: number) => root('loadbalance', count), cap: 3, caps: small },
    {
      what: 'the operator’s 5 conditional targets',
      make: (count: number) => root('conditional', count),
      cap: 5,
      caps: small,
    },
    { what: 'the operator’s 2 nested targets', make: nested, cap: 2, caps: small },
  ];
  for (const { what, make, cap, caps } of cases) {
    const changed = caps === undefined ? {} : { caps };
    it(`accepts ${what} and refuses one more`, () => {
      assert.doesNotThrow(() => compile(make(cap), changed));
      assert.throws(() => compile(make(cap + 1), changed), { code: 'invalid_config', message: new RegExp(`${cap}`) });
    });
  }
});
