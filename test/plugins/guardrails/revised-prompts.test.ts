import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects } from 'portcullis/sdk';
import { guarded, without } from './guarded.ts';

describe('what the prompt of an image has become', () => {
  const path = '/v1/images/generations';
  const body = { model: 'm', prompt: 'a cat of jane@example.org' };

  it('is denied as the text of an answer is', async (t) => {
    const { ask } = await guarded(t);
    const { status, json } = await ask({ output_guardrails: [{ ...without('cat'), deny: true }] }, body, { path });
    assert.equal(status, 446, JSON.stringify(json));
  });

  it('goes out with the edits made', async (t) => {
    const { ask } = await guarded(t);
    const mask = { 'default.regexReplace': { rule: 'jane@\\S+', redactText: '[X]' } };
    const { status, json } = await ask({ output_guardrails: [mask] }, body, { path });
    assert.equal(status, 200);
    assert.equal(asObjects(json.data)[0]?.revised_prompt, 'a cat of [X]');
  });
});
