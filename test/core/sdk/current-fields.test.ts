import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonObject, withCurrentFields } from 'portcullis/sdk';

const weather = { name: 'weather', parameters: { type: 'object' } };
const tool = { type: 'function', function: weather };

describe('deprecated fields of a chat request', () => {
  const old: JsonObject = { max_tokens: 5, functions: [weather], function_call: 'auto', messages: [] };
  for (const model of [
    'gpt-4o',
    'gpt-4.1',
    'gpt-35-turbo',
    'gpt-3.5-turbo',
    'gpt-oss-120b',
    'o200',
    'omni',
    'chatgpt-4o-latest',
    '',
  ]) {
    it(`stay as they came for ${model || 'no model'}`, () => assert.equal(withCurrentFields(old, model), old));
  }
  for (const model of [
    'o1',
    'o3-mini',
    'o4-mini-2025-04-16',
    'gpt-5',
    'gpt-5.1',
    'gpt-5-nano',
    'ft:o4-mini:org::id',
    'O3',
  ]) {
    it(`become current ones for ${model}`, () =>
      assert.deepEqual(withCurrentFields(old, model), {
        max_completion_tokens: 5,
        tools: [tool],
        tool_choice: 'auto',
        messages: [],
      }));
  }
  const table: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ['the current limit wins', { max_tokens: 5, max_completion_tokens: 7 }, { max_completion_tokens: 7 }],
    ['current tools win', { functions: [weather], tools: [] }, { tools: [] }],
    [
      'a named call stays one',
      { functions: [weather], function_call: { name: 'weather' } },
      { tools: [tool], tool_choice: { type: 'function', function: { name: 'weather' } } },
    ],
    [
      'calls and results in the history belong together',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } },
          { role: 'function', name: 'weather', content: 'Rain' },
          { role: 'function', name: 'unknown', content: 'Sun' },
        ],
      },
      {
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
          { role: 'tool', tool_call_id: 'call_3', content: 'Sun' },
        ],
      },
    ],
  ];
  for (const [what, body, expected] of table) {
    it(what, () => assert.deepEqual(withCurrentFields(body, 'o3'), expected));
  }
  it('leave a request without them untouched', () => {
    const body = { messages: [{ role: 'user', content: 'Hi' }], tools: [tool] };
    assert.equal(withCurrentFields(body, 'o3'), body);
  });
});
