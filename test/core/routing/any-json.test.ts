import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from 'portcullis/sdk';
import { compile, deepFrozen } from './plans.ts';

describe('any JSON as config', () => {
  const keys = fc.constantFrom(
    'strategy',
    'mode',
    'targets',
    'provider',
    'conditions',
    'query',
    'then',
    '$regex',
    '$or',
    'params.a',
    'retry',
    'cache',
    'weight',
    '__proto__',
    'constructor',
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<unknown>(null, true, 0, -1, 1e300, 'fallback', 'conditional', 'a', '(a+)+$', '['),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(keys, fc.string()), tie('tree'), { maxKeys: 5 }),
    ),
  }));

  it('gives a plan or a GatewayError, never anything else, and changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), tree), (config) => {
        try {
          compile(deepFrozen(config));
        } catch (error) {
          assert.ok(GatewayError.is(error), String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses what is no JSON', () => {
    for (const config of [
      undefined,
      () => 1,
      1n,
      Symbol('x'),
      { provider: () => 1 },
      { provider: 'p', weight: Number.NaN },
    ]) {
      assert.throws(() => compile(config), { code: 'invalid_config' });
    }
  });
});
