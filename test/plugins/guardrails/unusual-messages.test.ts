import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from 'portcullis/sdk';
import { readRequest } from '../../../plugins/guardrails/scan/read.ts';
import { exchangeOf } from '../../support/exchange.ts';

const user = (content: Json) => ({ messages: [{ role: 'user', content }] });

/** What it is, body, and kind and text of what is found. */
const table: readonly [string, JsonObject, readonly (readonly [string, string])[]][] = [
  [
    'results of a search',
    user([{ type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'a' }] }]),
    [
      ['text', 't'],
      ['text', 'a'],
      ['text', 's'],
    ],
  ],
  [
    'results of a web search',
    user([
      {
        type: 'web_search_tool_result',
        tool_use_id: 'u',
        content: [{ type: 'web_search_result', title: 't', encrypted_content: 'e' }],
      },
    ]),
    [['tool-result', 't']],
  ],
  [
    'a page that was fetched',
    user([
      {
        type: 'web_fetch_tool_result',
        content: {
          type: 'web_fetch_result',
          content: { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'a' } },
        },
      },
    ]),
    [
      ['tool-result', 't'],
      ['tool-result', 'a'],
    ],
  ],
  [
    'what code has printed',
    user([
      {
        type: 'code_execution_tool_result',
        content: { type: 'code_execution_result', stdout: 'a', stderr: 'b', return_code: 0, content: [] },
      },
    ]),
    [
      ['tool-result', 'a'],
      ['tool-result', 'b'],
    ],
  ],
  [
    'quotations',
    user([{ type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'q', document_title: 't' }] }]),
    [
      ['text', 'a'],
      ['text', 'q'],
      ['text', 't'],
    ],
  ],
  ['descriptions of tools', { tools: [{ name: 'f', description: 'a' }] }, [['text', 'a']]],
  ['nothing in thoughts that cannot be read', user([{ type: 'redacted_thinking', data: 'abc def' }]), []],
  [
    'nothing in documents of bytes',
    user([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }]),
    [],
  ],
];

describe('the reader of an unusual messages request', () => {
  for (const [what, body, expected] of table) {
    it(`finds ${what}`, () => {
      const { fragments, unreadable } = readRequest(exchangeOf({ endpoint: 'messages' }), body);
      assert.deepEqual(
        fragments.map(({ kind, text }) => [kind, text]),
        expected,
      );
      assert.deepEqual(unreadable, []);
    });
  }
});
