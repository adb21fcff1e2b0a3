import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Draft } from '../../../plugins/guardrails/scan/draft.ts';
import { deepFreeze } from '../../../sdk/testing/deep-freeze.ts';

describe('a draft of a body', () => {
  const body = deepFreeze({ messages: [{ content: ['a', 'b'] }, { content: 'c' }, { content: 'd' }], n: 1 });

  it('copies what stands on the way to a change once, however many there are', () => {
    const draft = new Draft(body);
    draft.put(['messages', 0, 'content', 0], 'A');
    const { messages } = draft.body;
    const [first] = messages as readonly unknown[];
    draft.put(['messages', 1, 'content'], 'C');
    draft.put(['messages', 0, 'content', 1], 'B');
    assert.equal(draft.body.messages, messages);
    assert.equal((draft.body.messages as readonly unknown[])[0], first);
    assert.deepEqual(draft.body, { messages: [{ content: ['A', 'B'] }, { content: 'C' }, { content: 'd' }], n: 1 });
  });

  it('shares all else with the body that was given', () => {
    const draft = new Draft(body);
    draft.put(['messages', 1, 'content'], 'C');
    const messages = draft.body.messages as readonly unknown[];
    assert.deepEqual([messages[0] === body.messages[0], messages[2] === body.messages[2]], [true, true]);
    assert.notEqual(messages[1], body.messages[1]);
  });

  it('is the body that was given until something changes', () => assert.equal(new Draft(body).body, body));
});
