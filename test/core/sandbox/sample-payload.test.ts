import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInput } from 'portcullis/sdk/testing';
import { payloadOf } from '../../../core/sandbox/payload.ts';
import { samplePayload } from '../../../core/sandbox/sample-payload.ts';

/** The names of all members in their order, without what the caller chose. */
function shapeOf(payload: string): string {
  const order = JSON.parse(payload.slice(0, payload.indexOf('\n')));
  const chosen = { body: 0, headers: 0, metadata: 0 };
  return JSON.stringify(
    { ...order, input: { ...order.input, rest: { ...order.input.rest, ...chosen } } },
    (_, value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 0),
  );
}

describe('the payload that warms a context', () => {
  it('has the shape of those of requests, whoever asks', () => {
    const order = { step: 'run', check: 'default', config: {} } as const;
    const belonging = { organisationId: 'o', workspaceId: 'w' };
    for (const given of [{}, belonging, { phase: 'afterRequest', body: { a: 1 } } as const])
      assert.equal(shapeOf(payloadOf({ ...order, input: checkInput(given) })), shapeOf(samplePayload));
  });
});
