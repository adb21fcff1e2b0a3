import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, Json, JsonObject } from 'portcullis/sdk';
import { patched } from '../../../plugins/guardrails/scan/patch.ts';
import { readReply, readRequest } from '../../../plugins/guardrails/scan/read.ts';
import { scanRequest } from '../../../plugins/guardrails/scan/scan.ts';
import { exchangeOf } from '../../support/exchange.ts';

const request = (endpoint: Endpoint, body: JsonObject) => readRequest(exchangeOf({ endpoint }), body);
const user = (content: Json) => ({ messages: [{ role: 'user', content }] });
const input = (item: JsonObject) => ({ input: [item] });
const textFile = 'data:text/plain;base64,aGVsbG8=';

describe('texts of unusual places', () => {
  it('can be edited where they stand', () => {
    const body = user([{ type: 'x', x: { y: ['ab'] } }]);
    const reading = request('chatComplete', body);
    const edits = [{ text: 0, start: 0, end: 1, with: 'X' }];
    const place = { dialect: 'chat', part: 'request' } as const;
    const given = [{ scan: scanRequest(reading, 'last_message', false), edits }];
    assert.deepEqual(patched(body, reading, given, place), user([{ type: 'x', x: { y: ['Xb'] } }]));
  });

  const encoded: readonly [Endpoint, JsonObject][] = [
    ['chatComplete', user([{ type: 'file', file: { file_data: textFile } }])],
    ['messages', user([{ type: 'document', source: { type: 'base64', media_type: 'text/plain', data: 'aGVsbG8=' } }])],
    ['createModelResponse', input({ role: 'user', content: [{ type: 'input_file', file_data: textFile }] })],
  ];
  for (const [endpoint, body] of encoded) {
    it(`cannot be read from an encoded text file (${endpoint})`, () => {
      assert.match(String(request(endpoint, body).unreadable[0]), /encoded text file/);
    });
  }

  it('cannot be read where they are nested too deeply', () => {
    const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}"x"${'}'.repeat(levels)}`) as JsonObject;
    const bodies: readonly [Endpoint, JsonObject][] = [
      ['chatComplete', user([deep(100)])],
      ['chatComplete', user([deep(20_000)])],
      ['messages', { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: deep(20_000) }] }] }],
      ['messages', user(JSON.parse(`${'['.repeat(20_000)}"x"${']'.repeat(20_000)}`))],
      ['createModelResponse', input({ type: 'custom_tool_call', input: deep(20_000) })],
    ];
    for (const [endpoint, body] of bodies) assert.match(String(request(endpoint, body).unreadable[0]), /deep/);
    assert.match(String(readReply('messages', { content: [{ input: deep(20_000) }] }).unreadable[0]), /deep/);
  });
});

describe('a reply of an unknown form', () => {
  const replies: readonly [Endpoint, JsonObject][] = [
    ['chatComplete', {}],
    ['chatComplete', { choices: 'text' }],
    ['chatComplete', { choices: ['text'] }],
    ['chatComplete', { choices: [{}] }],
    ['chatComplete', { choices: [{ message: { content: 5 } }] }],
    ['chatComplete', { choices: [{ message: { content: { text: 'a' } } }] }],
    ['complete', { text: 'a' }],
    ['complete', { choices: [{ message: { content: 'a' } }] }],
    ['messages', { completion: 'a' }],
    ['messages', { content: { text: 'a' } }],
    ['createModelResponse', { choices: [] }],
    ['createModelResponse', { output: ['a'] }],
    ['createModelResponse', { output: [{ type: 'message', content: 5 }] }],
    ['getModelResponse', {}],
    ['listResponseInputItems', {}],
  ];
  for (const [endpoint, reply] of replies) {
    it(`cannot be read: ${endpoint} ${JSON.stringify(reply)}`, () => {
      const { unreadable, bearsText } = readReply(endpoint, reply);
      assert.deepEqual([unreadable.length, bearsText], [1, true]);
    });
  }

  it('is read where a choice of chat has a text in the place of a message', () => {
    const { fragments, unreadable } = readReply('chatComplete', { choices: [{ text: 'a' }] });
    assert.deepEqual([fragments.map(({ text }) => text), unreadable], [['a'], []]);
  });

  it('is none where there is nothing to say', () => {
    for (const [endpoint, reply] of [
      ['chatComplete', { choices: [{ message: { content: null, tool_calls: [] } }] }],
      ['chatComplete', { choices: [] }],
      ['messages', { content: [] }],
      ['createModelResponse', { status: 'queued', output: [] }],
    ] as const)
      assert.deepEqual(readReply(endpoint, reply).unreadable, []);
  });
});
