import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import type { JsonObject } from '../../../sdk/json.ts';
import { contextOf, frozen } from './codec.ts';

/** https://platform.claude.com/docs/en/build-with-claude/search-results */
const found: JsonObject = {
  type: 'search_result',
  source: 'https://a.example/france',
  title: 'France',
  content: [{ type: 'text', text: 'The capital is Paris.' }],
  citations: { enabled: true },
};
const body: JsonObject = frozen({
  model: 'm',
  max_tokens: 9,
  messages: [
    { role: 'user', content: 'What is the capital?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'search', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [found] }] },
    { role: 'assistant', content: 'Paris.' },
    { role: 'user', content: [found, { type: 'text', text: 'Are you sure?' }] },
  ],
  tools: [{ name: 'search', input_schema: { type: 'object' } }],
});

describe('search results that a client of messages sends', () => {
  for (const name of ['chat', 'responses', 'gemini', 'converse', 'cohere'] as const) {
    it(`reach the model as text in ${name}, of a tool and of the user`, () => {
      const sent = dialects[name].encodeCall(dialects.messages.decodeCall(body, contextOf(true)), contextOf(true));
      const text = JSON.stringify('France\n\nhttps://a.example/france\n\nThe capital is Paris.').slice(1, -1);
      assert.equal(JSON.stringify(sent).split(text).length - 1, 2);
    });
  }

  it('stay what they are in messages', () => {
    const context = contextOf(true);
    assert.deepEqual(dialects.messages.encodeCall(dialects.messages.decodeCall(body, context), context), body);
    assert.deepEqual(context.lost, []);
  });
});
