import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Breaker, type BreakerState } from '../../../core/logs/breaker.ts';

const settings = { failureThreshold: 5, backoffMs: 60_000 };

type Step = 'fail' | 'succeed' | 'ask' | number;

interface Case {
  readonly what: string;
  readonly steps: readonly Step[];
  readonly state: BreakerState;
  readonly admits: boolean;
}

const fives: readonly Step[] = ['fail', 'fail', 'fail', 'fail', 'fail'];

const cases: readonly Case[] = [
  { what: 'is closed at first', steps: [], state: 'closed', admits: true },
  { what: 'stays closed below the threshold', steps: fives.slice(1), state: 'closed', admits: true },
  { what: 'opens with the fifth failure in a row', steps: fives, state: 'open', admits: false },
  {
    what: 'forgets failures with a success',
    steps: [...fives.slice(1), 'succeed', ...fives.slice(1)],
    state: 'closed',
    admits: true,
  },
  { what: 'stays open until the backoff has elapsed', steps: [...fives, 59_999, 'ask'], state: 'open', admits: false },
  { what: 'probes after the backoff', steps: [...fives, 60_000, 'ask'], state: 'probing', admits: true },
  {
    what: 'closes with a probe that succeeds',
    steps: [...fives, 60_000, 'ask', 'succeed'],
    state: 'closed',
    admits: true,
  },
  {
    what: 'opens again with a probe that fails',
    steps: [...fives, 60_000, 'ask', 'fail'],
    state: 'open',
    admits: false,
  },
  {
    what: 'waits as long after a failed probe',
    steps: [...fives, 60_000, 'ask', 'fail', 59_999, 'ask'],
    state: 'open',
    admits: false,
  },
  {
    what: 'probes again then',
    steps: [...fives, 60_000, 'ask', 'fail', 60_000, 'ask'],
    state: 'probing',
    admits: true,
  },
  {
    what: 'needs five failures again once closed',
    steps: [...fives, 60_000, 'ask', 'succeed', ...fives.slice(1)],
    state: 'closed',
    admits: true,
  },
];

describe('the breaker of a sink', () => {
  for (const { what, steps, state, admits } of cases) {
    it(what, () => {
      let now = 1_000_000;
      const changes: string[] = [];
      const breaker = new Breaker(
        settings,
        () => now,
        (from, to) => changes.push(`${from} ${to}`),
      );
      for (const step of steps) {
        if (step === 'fail') breaker.failed();
        else if (step === 'succeed') breaker.succeeded();
        else if (step === 'ask') breaker.admits();
        else now += step;
      }
      assert.equal(breaker.state, state);
      assert.equal(breaker.admits(), admits);
      // Every change is told once, and begins where the one before has ended.
      const ends = changes.map((change) => change.split(' '));
      assert.ok(ends.every(([from], index) => from === (ends[index - 1]?.[1] ?? 'closed')));
    });
  }
});
