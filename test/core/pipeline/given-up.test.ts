import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Cost, Outcome, Usage } from 'portcullis/sdk';
import { createGateway } from '../../../core/gateway.ts';
import { giveUp, isGivenUp, noteReply } from '../../../core/pipeline/given-up.ts';
import { exchangeOf } from '../../support/exchange.ts';
import { testConfig } from '../../support/gateway.ts';
import { recordingLog } from '../../support/recording-log.ts';

function outcome(counts: Usage | undefined): Outcome {
  const body = { kind: 'bytes', bytes: new Uint8Array() } as const;
  return { status: 200, headers: {}, body, provider: 'p', model: 'm', path: '', retries: 0, usage: () => counts };
}

const costs = (nanoUsd: number): Cost => ({ nanoUsd, parts: {}, source: 'catalogue' });

/** Each token of input costs a billionth of a dollar, unless its price cannot be had. */
async function noting(t: TestContext, isPriced = true) {
  const { log, logged } = recordingLog();
  const gateway = await createGateway(testConfig(), { log });
  t.after(() => gateway.close());
  const price = ({ usage }: { readonly usage: Usage }) =>
    isPriced ? costs(usage.input) : Promise.reject(new Error('the store is away'));
  const runtime = { ...gateway.runtime, pipeline: { ...gateway.runtime.pipeline, price } };
  const exchange = exchangeOf();
  const charged = () => exchange.givenUp?.map(({ usage, cost }) => [usage?.input, cost?.nanoUsd]);
  /** As a request ends, or goes on where nothing has served. */
  const end = async (served?: Outcome) => {
    if (served === undefined || isGivenUp(exchange, served)) await giveUp(runtime, exchange);
  };
  return { exchange, charged, logged, end };
}

describe('replies that were counted', () => {
  const [first, second, third] = [1, 2, 3].map((input) => outcome({ input, output: 0 })) as [Outcome, Outcome, Outcome];

  it('are given up, all but the one that served, however that was changed', async (t) => {
    const { exchange, charged, end } = await noting(t);
    noteReply(exchange, first);
    await end({ ...first, status: 246 });
    assert.equal(charged(), undefined);
    for (const next of [second, third]) {
      await end();
      noteReply(exchange, next);
    }
    await end({ ...third, headers: { a: 'b' } });
    assert.deepEqual(charged(), [
      [1, 1],
      [2, 2],
    ]);
    await end(outcome(undefined));
    await end(outcome(undefined));
    assert.deepEqual(charged(), [
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('are none where a provider has failed', async (t) => {
    const { exchange, charged, end } = await noting(t);
    noteReply(exchange, outcome(undefined));
    await end(outcome(undefined));
    assert.equal(charged(), undefined);
  });

  it('keep their counts where no price can be had', async (t) => {
    const { exchange, charged, logged, end } = await noting(t, false);
    noteReply(exchange, first);
    await end();
    assert.deepEqual(charged(), [[1, undefined]]);
    assert.ok(logged.some(({ event }) => event === 'cost_unknown'));
  });
});
