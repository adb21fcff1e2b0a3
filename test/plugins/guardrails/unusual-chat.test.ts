import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from 'portcullis/sdk';
import { readRequest } from '../../../plugins/guardrails/scan/read.ts';
import { exchangeOf } from '../../support/exchange.ts';

const user = (content: Json) => ({ messages: [{ role: 'user', content }] });
const bytes = 'A'.repeat(80);

/** What it is, body, and kind and text of what is found. */
const table: readonly [string, JsonObject, readonly (readonly [string, string])[]][] = [
  [
    'a part of an unknown type',
    user([{ type: 'x', x: { y: ['a', { z: 'b' }] } }]),
    [
      ['text', 'a'],
      ['text', 'b'],
    ],
  ],
  ['a text that is an object', user([{ type: 'text', text: { value: 'a' } }]), [['text', 'a']]],
  ['a content that is an object', user({ type: 'text', text: 'a' }), [['text', 'a']]],
  ['a message that is a text', { messages: ['a'] }, [['text', 'a']]],
  [
    'the name of who speaks',
    { messages: [{ role: 'user', name: 'n', content: 'a' }] },
    [
      ['text', 'a'],
      ['text', 'n'],
    ],
  ],
  [
    'thoughts in a list',
    {
      messages: [
        {
          role: 'assistant',
          reasoning_details: [{ type: 'reasoning.text', text: 'a' }],
          thinking: [{ thinking: 'b' }],
        },
      ],
    },
    [
      ['thinking', 'a'],
      ['thinking', 'b'],
    ],
  ],
  ['a predicted answer', { prediction: { type: 'content', content: [{ type: 'text', text: 'a' }] } }, [['text', 'a']]],
  ['an unknown field of a message', { messages: [{ role: 'user', more: { text: 'a' } }] }, [['text', 'a']]],
  [
    'descriptions',
    {
      tools: [{ type: 'function', function: { description: 'a' } }],
      functions: [{ description: 'b' }],
      response_format: { json_schema: { description: 'c' } },
    },
    [
      ['text', 'a'],
      ['text', 'b'],
      ['text', 'c'],
    ],
  ],
  [
    'a text that looks like bytes',
    user([{ type: 'text', text: `data:text/plain;base64,${bytes}` }]),
    [['text', `data:text/plain;base64,${bytes}`]],
  ],
  ['a word where bytes stand', user([{ type: 'x', data: 'word' }]), [['text', 'word']]],
  [
    'arguments with escapes',
    { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: '{"a":"\\u0062ad\\/\\n"}' } }] }] },
    [['tool-arguments', '{"a":"bad/\\n"}']],
  ],
  [
    'arguments that are no JSON',
    { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: '{\\u0062' } }] }] },
    [['tool-arguments', '{\\u0062']],
  ],
  ['a role that every object has', { messages: [{ role: 'constructor', content: 'a' }] }, [['text', 'a']]],
  ['nothing in sound', user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }]), []],
  [
    'nothing in a file of bytes',
    user([{ type: 'file', file: { file_data: `data:application/pdf;base64,${bytes}` } }]),
    [],
  ],
];

describe('the reader of an unusual chat request', () => {
  for (const [what, body, expected] of table) {
    it(`finds ${what}`, () => {
      const { fragments, unreadable } = readRequest(exchangeOf({ endpoint: 'chatComplete' }), body);
      assert.deepEqual(
        fragments.map(({ kind, text }) => [kind, text]),
        expected,
      );
      assert.deepEqual(unreadable, []);
    });
  }
});
