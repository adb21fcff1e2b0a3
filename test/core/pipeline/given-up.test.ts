import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome, Usage } from 'portcullis/sdk';
import { givenUpBefore, type NotedReply, noteReply } from '../../../core/pipeline/given-up.ts';

function outcome(counts: Usage | undefined): Outcome {
  const body = { kind: 'bytes', bytes: new Uint8Array() } as const;
  return { status: 200, headers: {}, body, provider: 'p', model: 'm', path: '', retries: 0, usage: () => counts };
}

const exchange = () => ({
  replied: undefined as NotedReply | undefined,
  givenUp: undefined as readonly NotedReply[] | undefined,
  providerSlug: 'slug',
});

describe('replies that were counted', () => {
  const [first, second, third] = [1, 2, 3].map((input) => outcome({ input, output: 0 })) as [Outcome, Outcome, Outcome];
  const outcomes = (noted: readonly NotedReply[] | undefined) => noted?.map(({ outcome }) => outcome);

  it('are given up, all but the one that served, however that was changed', () => {
    const noting = exchange();
    noteReply(noting, first);
    assert.equal(givenUpBefore(noting, { ...first, status: 246 }), undefined);
    noteReply(noting, second);
    noteReply(noting, third);
    assert.deepEqual(outcomes(givenUpBefore(noting, { ...third, headers: { a: 'b' } })), [first, second]);
    assert.deepEqual(outcomes(givenUpBefore(noting, outcome(undefined))), [first, second, third]);
  });

  it('are none where a provider has failed', () => {
    const noting = exchange();
    noteReply(noting, outcome(undefined));
    assert.equal(givenUpBefore(noting, outcome(undefined)), undefined);
  });
});
