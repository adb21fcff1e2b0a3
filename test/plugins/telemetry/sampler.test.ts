import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createSampler } from '../../../plugins/telemetry/traces/sampler.ts';

const traces = Array.from({ length: 4000 }, () => ({ traceId: randomUUID() }));
const callers = (sampled: boolean) => ({ traceId: 'x', callersTrace: { traceId: 'f'.repeat(32), sampled } });

describe('the sampler of traces', () => {
  for (const ratio of [0, 0.25, 1])
    it(`samples ${ratio} of those that nobody has decided about`, () => {
      const sampled = traces.filter(createSampler({ heedsCaller: true, ratio }));
      assert.ok(Math.abs(sampled.length / traces.length - ratio) < 0.05, `${sampled.length}`);
      if (ratio === 0 || ratio === 1) assert.equal(sampled.length, ratio * traces.length);
    });

  it('decides the same for all requests of a trace, in every process', () => {
    const [one, other] = [
      createSampler({ heedsCaller: true, ratio: 0.5 }),
      createSampler({ heedsCaller: true, ratio: 0.5 }),
    ];
    assert.deepEqual(traces.filter(one), traces.filter(other));
  });

  it('heeds what a caller has decided where it shall', () => {
    for (const sampled of [false, true])
      for (const ratio of [0, 0.5, 1])
        assert.equal(createSampler({ heedsCaller: true, ratio })(callers(sampled)), sampled);
    assert.equal(createSampler({ heedsCaller: false, ratio: 1 })(callers(false)), true);
    assert.equal(createSampler({ heedsCaller: false, ratio: 0 })(callers(true)), false);
  });
});
