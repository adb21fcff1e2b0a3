import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, TargetContext } from 'portcullis/sdk';
import { lookAtReply } from '../../../plugins/guardrails/run/look-at.ts';

function inputOf(reply: JsonObject) {
  const target = { request: { endpoint: 'chatComplete', dialect: 'chat' }, body: {} } as unknown as TargetContext;
  return lookAtReply(target, reply, { request: false, reply: false }).at('last_message', false).input;
}

describe('what stands beside the answers of a reply', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: '{"a": 1}' }, finish_reason: 'stop' }];
  const { text, content, texts } = inputOf({ choices, citations: ['https://example.org/jane'] });

  it('is seen by checks that look for something', () => {
    assert.ok(text.includes('https://example.org/jane'));
    assert.equal(texts.length, 2);
  });

  it('is not counted or parsed with the answer', () => {
    assert.equal(content, '{"a": 1}');
  });
});
