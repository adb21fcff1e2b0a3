import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { readRequest } from '../../../plugins/guardrails/scan/read.ts';
import { exchangeOf } from '../../support/exchange.ts';

const input = (item: JsonObject) => ({ input: [item] });
const bytes = 'A'.repeat(80);

/** What it is, body, and kind and text of what is found. */
const table: readonly [string, JsonObject, readonly (readonly [string, string])[]][] = [
  [
    'what a shell has printed',
    input({
      type: 'shell_call_output',
      call_id: 'c',
      output: [{ stdout: 'a', stderr: 'b', outcome: { type: 'exit', exit_code: 0 } }],
    }),
    [
      ['tool-result', 'a'],
      ['tool-result', 'b'],
    ],
  ],
  [
    'a patch',
    input({ type: 'apply_patch_call', operation: { type: 'update_file', path: 'p', diff: 'd' } }),
    [
      ['tool-arguments', 'p'],
      ['tool-arguments', 'd'],
    ],
  ],
  [
    'code and its logs',
    input({
      type: 'code_interpreter_call',
      code: 'c',
      outputs: [
        { type: 'logs', logs: 'l' },
        { type: 'image', url: `data:image/png;base64,${bytes}` },
      ],
    }),
    [
      ['tool-arguments', 'c'],
      ['tool-result', 'l'],
    ],
  ],
  [
    'files that were found',
    input({
      type: 'file_search_call',
      queries: ['q'],
      results: [{ file_id: 'i', filename: 'f', text: 'a', score: 1 }],
    }),
    [
      ['tool-arguments', 'q'],
      ['tool-result', 'f'],
      ['tool-result', 'a'],
    ],
  ],
  [
    'a call of another server',
    input({ type: 'mcp_call', name: 'n', server_label: 's', arguments: '{}', output: 'o', error: 'e' }),
    [
      ['tool-arguments', '{}'],
      ['tool-result', 'o'],
      ['tool-result', 'e'],
    ],
  ],
  [
    'why a call was refused',
    input({ type: 'mcp_approval_response', approval_request_id: 'i', approve: false, reason: 'r' }),
    [['text', 'r']],
  ],
  [
    'a search of the web',
    input({ type: 'web_search_call', action: { type: 'search', query: 'q' } }),
    [['tool-arguments', 'q']],
  ],
  [
    'tools that were found',
    input({ type: 'tool_search_output', tools: [{ type: 'function', description: 'd' }] }),
    [['tool-result', 'd']],
  ],
  [
    'a picture of a screen',
    input({
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${bytes}` },
    }),
    [],
  ],
  [
    'descriptions of tools',
    { input: 'a', tools: [{ type: 'function', name: 'f', description: 'd' }], text: { format: { description: 'e' } } },
    [
      ['text', 'a'],
      ['text', 'd'],
      ['text', 'e'],
    ],
  ],
];

describe('the reader of an unusual responses request', () => {
  for (const [what, body, expected] of table) {
    it(`finds ${what}`, () => {
      const { fragments, unreadable } = readRequest(exchangeOf({ endpoint: 'createModelResponse' }), body);
      assert.deepEqual(
        fragments.map(({ kind, text }) => [kind, text]),
        expected,
      );
      assert.deepEqual(unreadable, []);
    });
  }
});
