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

  const words: readonly [string, Endpoint, JsonObject, string][] = [
    ['a URL', 'chatComplete', user([{ type: 'image_url', image_url: { url: 'any words' } }]), 'any words'],
    ['a URL with spaces', 'chatComplete', user([{ image_url: { url: 'https://a b' } }]), 'https://a b'],
    ['a URL that is an object', 'chatComplete', user([{ image_url: { url: { text: 'any words' } } }]), 'any words'],
    ['an image', 'chatComplete', user([{ type: 'image_url', image_url: 'any words' }]), 'any words'],
    [
      'a drawing',
      'chatComplete',
      user([{ image_url: { url: 'data:image/svg+xml,<t>a</t>' } }]),
      'data:image/svg+xml,<t>a</t>',
    ],
    [
      'an image',
      'createModelResponse',
      input({ content: [{ type: 'input_image', image_url: 'any words' }] }),
      'any words',
    ],
    ['a source', 'messages', user([{ type: 'image', source: { type: 'url', url: 'any words' } }]), 'any words'],
  ];
  for (const [what, endpoint, body, text] of words) {
    it(`are words in the place of ${what} (${endpoint})`, () => {
      const { fragments } = request(endpoint, body);
      assert.deepEqual(
        fragments.map((fragment) => fragment.text),
        [text],
      );
    });
  }

  it('are no addresses of images, nor their bytes', () => {
    for (const url of ['https://i/1', 'gs://b/1', 's3://b/1', 'file-1', 'data:image/png;base64,AAAA', 'A'.repeat(80)]) {
      const { fragments, images } = request('chatComplete', user([{ type: 'image_url', image_url: { url } }]));
      assert.deepEqual([fragments.length, images.length], [0, 1]);
    }
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

  const file = (file_data: string, filename?: string) =>
    user([{ type: 'file', file: { file_data, ...(filename === undefined ? {} : { filename }) } }]);
  const image = (url: string) => user([{ type: 'image_url', image_url: { url } }]);
  const source = (type: string, more: JsonObject) => user([{ type, source: { type: 'base64', ...more } }]);
  const inline = (mimeType: string) => ({ contents: [{ parts: [{ inlineData: { mimeType, data: 'aGVsbG8=' } }] }] });
  const holds: readonly [string, Endpoint, JsonObject, boolean][] = [
    ['the name of a text', 'chatComplete', file('aGVsbG8=', 'a.txt'), true],
    ['the name of a text, and lines', 'chatComplete', file('aGVs\nbG8=', 'a.py'), true],
    ['the name of a PDF', 'chatComplete', file('aGVsbG8=', 'a.PDF'), false],
    ['no name', 'chatComplete', file('aGVsbG8='), false],
    ['lines in base64', 'chatComplete', file('data:text/plain;base64,aGVs\nbG8='), true],
    ['a text that is no base64', 'chatComplete', file('data:text/plain,%68ello'), true],
    ['no type', 'chatComplete', file('data:;base64,aGVsbG8='), true],
    ['JSON', 'chatComplete', file('data:application/json;charset=utf-8;base64,aGVsbG8='), true],
    ['bytes with the name of a text', 'chatComplete', file('data:application/octet-stream;base64,aGVs', 'a.md'), true],
    ['bytes', 'chatComplete', file('data:application/octet-stream;base64,aGVs'), false],
    ['a text for an image', 'chatComplete', image(textFile), true],
    ['a drawing', 'chatComplete', image('data:image/svg+xml;base64,aGVsbG8='), false],
    ['a text for an image', 'messages', source('image', { media_type: 'text/plain', data: 'aGVs' }), true],
    ['XML', 'messages', source('document', { media_type: 'application/atom+xml', data: 'aGVs' }), true],
    ['a PDF', 'messages', source('document', { media_type: 'application/pdf', data: 'aGVs' }), false],
    ['a URL', 'messages', user([{ type: 'image', source: { type: 'url', url: textFile } }]), true],
    [
      'a text for an image',
      'createModelResponse',
      input({ content: [{ type: 'input_image', image_url: textFile }] }),
      true,
    ],
  ];
  for (const [what, endpoint, body, unread] of holds) {
    it(`${unread ? 'cannot be' : 'are not'} looked for in a file: ${what} (${endpoint})`, () => {
      assert.equal(request(endpoint, body).unreadable.length > 0, unread);
    });
  }

  for (const type of ['application/x-javascript', 'application/x-python', 'text/css', 'application/json']) {
    it(`cannot be read from encoded ${type} (gemini)`, () => {
      const { unreadable } = readRequest(exchangeOf({ endpoint: 'chatComplete', dialect: 'gemini' }), inline(type));
      assert.match(String(unreadable[0]), /encoded text file/);
    });
  }

  it('cannot be read from requests in the body of a batch', () => {
    const requests = [{ custom_id: 'a', body: user('hello') }];
    assert.match(String(request('createBatch', { model: 'm', requests }).unreadable[0]), /upload them as a file/);
    for (const body of [{ input_file_id: 'f' }, { input_file_id: 'f', requests: null }])
      assert.deepEqual(request('createBatch', body).unreadable, []);
  });

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
