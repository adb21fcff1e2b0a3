import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { serverTiming } from '../../../core/telemetry/server-timing.ts';
import { StageClock } from '../../../core/telemetry/stage-clock.ts';

/** Moments of `performance.now()`, one a call. */
function at(t: TestContext, ...moments: readonly number[]): void {
  const left = [...moments];
  t.mock.method(performance, 'now', () => left.shift() ?? Number.NaN);
}

describe('the clock of stages', () => {
  it('adds up what stages take, all tries together', (t) => {
    at(t, 100, 103, 110, 130, 142, 150);
    const clock = new StageClock();
    clock.spend('parse', 101);
    clock.called();
    clock.spend('upstream', 112);
    clock.spend('upstream', 132);
    clock.replied();
    assert.deepEqual(clock.timings(), {
      parse: 2,
      prepare: 8,
      guardrailsBefore: 0,
      cache: 0,
      upstream: 28,
      guardrailsAfter: 0,
      firstByte: 50,
    });
  });

  it('counts only the first call and the first byte', (t) => {
    at(t, 0, 5, 9);
    const clock = new StageClock();
    clock.called();
    clock.called();
    clock.replied();
    clock.replied();
    const { prepare, firstByte } = clock.timings();
    assert.deepEqual([prepare, firstByte], [5, 9]);
  });

  it('takes a request that never got to a provider for preparation', (t) => {
    at(t, 0, 2, 7);
    const clock = new StageClock();
    clock.spend('parse', 1);
    const { prepare, upstream, firstByte } = clock.timings();
    assert.deepEqual([prepare, upstream, firstByte], [6, 0, undefined]);
  });
});

describe('the header server-timing', () => {
  const timings = {
    parse: 0.125,
    prepare: 0.5,
    guardrailsBefore: 0,
    cache: 0,
    upstream: 12.25,
    guardrailsAfter: 1,
    firstByte: 14,
  };

  it('names the stages that took time, and tells what was not the provider’s', () => {
    assert.deepEqual(serverTiming(timings, 14), {
      value: 'parse;dur=0.13, prepare;dur=0.50, upstream;dur=12.25, guardrails-after;dur=1.00, total;dur=14.00',
      overheadMs: '1.75',
    });
  });

  it('tells no less than nothing where targets were asked side by side', () =>
    assert.equal(serverTiming({ ...timings, upstream: 20 }, 14).overheadMs, '0.00'));
});
