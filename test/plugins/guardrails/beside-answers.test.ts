import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, TargetContext } from 'portcullis/sdk';
import { lookAtReply } from '../../../plugins/guardrails/run/look-at.ts';

function inputOf(reply: JsonObject, dialect = 'chat') {
  const target = { request: { endpoint: 'chatComplete', dialect }, body: {} } as unknown as TargetContext;
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

  it('is no answer where there is none', () => {
    const silent = [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }];
    assert.equal(inputOf({ choices: silent, citations: ['https://example.org/jane'] }).content, '');
  });
});

describe('why a prompt was blocked', () => {
  const reply = {
    promptFeedback: {
      blockReason: 'PROHIBITED_CONTENT',
      blockReasonMessage: 'It names Jane.',
      safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
    },
  };

  it('is seen by checks that look for something, in the words that were said about it', () => {
    assert.equal(inputOf(reply, 'gemini').text, 'It names Jane.');
  });

  it('is no answer', () => {
    assert.equal(inputOf(reply, 'gemini').content, '');
  });

  it('is seen beside answers', () => {
    const candidates = [{ content: { parts: [{ text: 'An answer.' }] }, finishReason: 'STOP' }];
    assert.equal(inputOf({ ...reply, candidates }, 'gemini').text, 'An answer.\nIt names Jane.');
  });
});
