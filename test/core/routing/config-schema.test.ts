import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { configSchema } from '../../../core/routing/config-schema.ts';

describe('the published schema of a config', () => {
  const validator = Compile(configSchema);
  const nested = (mode: string) => ({
    strategy: { mode: 'fallback' },
    targets: [{ strategy: { mode }, targets: [{ provider: 'p', aws_region: 'eu' }] }],
  });

  it('reaches into nested targets', () => {
    assert.equal(validator.Check(nested('loadbalance')), true);
    assert.equal(validator.Check(nested('random')), false);
  });

  it('is plain JSON', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(configSchema)), { ...configSchema });
  });
});
