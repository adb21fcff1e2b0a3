import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome, ReplyStream, RetryRule } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import retry from '../../plugins/retry/index.ts';
import { exchangeOf, outcomeWith, targetOf } from '../support/exchange.ts';

const config = { initial_delay: 1000, max_wait: 60_000 };
const rule: RetryRule = { attempts: 3, onStatusCodes: [429, 500], useRetryAfter: false };

async function attempted(
  outcomes: readonly Partial<Outcome>[],
  options: { rule?: RetryRule; random?: number; sleep?: () => Promise<void> } = {},
) {
  const host = createTestHost({
    random: [options.random ?? 0.999_999],
    sleep: options.sleep ?? (async () => {}),
  });
  const hooks = await retry.setup(config, host);
  let calls = 0;
  const next = async () => {
    const outcome = outcomes[Math.min(calls, outcomes.length - 1)];
    calls += 1;
    return outcomeWith(outcome);
  };
  const running = hooks.attempt?.(
    targetOf({ request: exchangeOf(), retry: 'rule' in options ? options.rule : rule }),
    next,
  );
  const outcome = await running;
  assert.ok(outcome !== undefined);
  return { outcome, calls, slept: host.slept };
}

const failed = (status: number, retryAfterMs?: number): Partial<Outcome> => ({
  status,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

describe('retry', () => {
  const table: readonly [
    string,
    readonly Partial<Outcome>[],
    RetryRule | undefined,
    { status: number; retries: number; calls: number; slept: readonly number[] },
  ][] = [
    [
      'makes one call where no rule is given',
      [failed(500)],
      undefined,
      { status: 500, retries: 0, calls: 1, slept: [] },
    ],
    [
      'makes one call where the rule allows no retry',
      [failed(500)],
      { ...rule, attempts: 0 },
      { status: 500, retries: 0, calls: 1, slept: [] },
    ],
    ['stops at the first success', [failed(200)], rule, { status: 200, retries: 0, calls: 1, slept: [] }],
    [
      'leaves a status alone that the rule does not list',
      [failed(404)],
      rule,
      { status: 404, retries: 0, calls: 1, slept: [] },
    ],
    [
      'counts the retries that it took',
      [failed(500), failed(429), failed(200)],
      rule,
      { status: 200, retries: 2, calls: 3, slept: [1000, 2000] },
    ],
    [
      'says -1 when all retries were used, and does not wait after the last',
      [failed(500)],
      rule,
      { status: 500, retries: -1, calls: 4, slept: [1000, 2000, 4000] },
    ],
    [
      'ignores Retry-After unless told to use it',
      [failed(429, 7), failed(200)],
      rule,
      { status: 200, retries: 1, calls: 2, slept: [1000] },
    ],
    [
      'waits as long as the provider asks',
      [failed(429, 7), failed(200)],
      { ...rule, useRetryAfter: true },
      { status: 200, retries: 1, calls: 2, slept: [7] },
    ],
    [
      'backs off where the provider does not say',
      [failed(500), failed(200)],
      { ...rule, useRetryAfter: true },
      { status: 200, retries: 1, calls: 2, slept: [1000] },
    ],
    [
      'gives up at once when the provider asks for too long a wait',
      [failed(429, 60_000)],
      { ...rule, useRetryAfter: true },
      { status: 429, retries: -1, calls: 1, slept: [] },
    ],
    [
      'gives up when the waits add up to too much',
      [failed(429, 40_000)],
      { ...rule, useRetryAfter: true },
      { status: 429, retries: -1, calls: 2, slept: [40_000] },
    ],
    [
      'tries again at once when the provider asks for no wait',
      [failed(429, 0), failed(200)],
      { ...rule, useRetryAfter: true },
      { status: 200, retries: 1, calls: 2, slept: [0] },
    ],
  ];
  for (const [name, outcomes, given, expected] of table) {
    it(name, async () => {
      const { outcome, calls, slept } = await attempted(
        outcomes,
        given === undefined ? { rule: { ...rule, attempts: 0 } } : { rule: given },
      );
      assert.deepEqual({ status: outcome.status, retries: outcome.retries, calls, slept }, expected);
    });
  }

  it('leaves at most half of each wait to chance', async () => {
    assert.deepEqual((await attempted([failed(500)], { random: 0 })).slept, [500, 1000, 2000]);
  });

  it('gives up the stream of a reply that it does not return', async () => {
    let aborted = 0;
    const stream: ReplyStream = { pipe: () => {}, resume: () => {}, abort: () => (aborted += 1) };
    await attempted([{ status: 500, body: { kind: 'stream', stream } }, failed(200)]);
    assert.equal(aborted, 1);
  });

  it('keeps the stream of the reply that it returns', async () => {
    let aborted = 0;
    const stream: ReplyStream = { pipe: () => {}, resume: () => {}, abort: () => (aborted += 1) };
    await attempted([{ status: 500, body: { kind: 'stream', stream } }], { rule: { ...rule, attempts: 1 } });
    assert.equal(aborted, 1, 'the first of two');
  });

  it('stops waiting when the client leaves', async () => {
    const gone = new Error('left');
    await assert.rejects(attempted([failed(500)], { sleep: () => Promise.reject(gone) }), gone);
  });

  it('keeps what a reply says about tokens', async () => {
    const usage = { input: 1, output: 2 };
    const { outcome } = await attempted([failed(500), { status: 200, usage: () => usage }]);
    assert.equal(outcome.usage(), usage);
  });
});
