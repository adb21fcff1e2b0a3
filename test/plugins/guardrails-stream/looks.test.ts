import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hook } from '../../../plugins/guardrails/definition/hook.ts';
import type { HookRun } from '../../../plugins/guardrails/run/runs.ts';
import { Looks } from '../../../plugins/guardrails/stream/looks.ts';

const hook = { id: 'guard', shadow: false } as Hook;
const run: HookRun = { hook, checks: [], verdict: true, transformed: false, startedAt: 0, durationMs: 5 };

describe('looks at a stream', () => {
  it('count the time from the first text that came to the first that went out', () => {
    let now = 1000;
    const looks = new Looks(() => now);
    now = 2000;
    looks.heard();
    now = 2100;
    looks.heard();
    looks.begin();
    looks.gave([run]);
    now = 2300;
    looks.released();
    now = 9000;
    looks.begin();
    looks.released();
    assert.deepEqual(looks.runs[0]?.windows, { looks: 2, addedMs: 300 });
  });

  it('tell no time while no text has gone out', () => {
    const looks = new Looks(() => 0);
    looks.heard();
    looks.begin();
    looks.gave([run]);
    assert.deepEqual(looks.runs[0]?.windows, { looks: 1, addedMs: undefined });
  });

  it('make one run of a hook, which failed when one of them did', () => {
    const looks = new Looks(() => 0);
    looks.gave([run]);
    looks.gave([{ ...run, verdict: false }]);
    looks.gave([{ ...run, transformed: true }]);
    const [only, ...others] = looks.runs;
    assert.deepEqual([only?.verdict, only?.transformed, only?.durationMs, others.length], [false, true, 15, 0]);
  });
});
