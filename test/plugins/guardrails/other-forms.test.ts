import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialectName, Endpoint, Json, JsonObject } from 'portcullis/sdk';
import { readRequest } from '../../../plugins/guardrails/scan/read.ts';
import { scanRequest } from '../../../plugins/guardrails/scan/scan.ts';
import { exchangeOf } from '../../support/exchange.ts';

const marker = 'A text that must be read.';
const encoded = Buffer.from(marker).toString('base64');
const asked = { messages: [{ role: 'user', content: 'x' }] };
const user = (...content: readonly Json[]) => ({ messages: [{ role: 'user', content }] });
const parts = (...given: readonly Json[]) => ({ contents: [{ role: 'user', parts: given }] });
const item = (given: JsonObject) => ({ input: [given] });

/** Requests in which something has another form than its format has for it; servers that are less strict may take it. */
const table: readonly [string, Endpoint, DialectName | undefined, JsonObject][] = [
  ['tools', 'chatComplete', undefined, { ...asked, tools: marker }],
  ['the form of an answer', 'chatComplete', undefined, { ...asked, response_format: marker }],
  ['a prediction', 'chatComplete', undefined, { ...asked, prediction: marker }],
  ['a member of a prediction', 'chatComplete', undefined, { ...asked, prediction: { type: 'content', note: marker } }],
  ['a list of suffixes', 'complete', undefined, { prompt: 'x', suffix: [marker] }],
  ['a container', 'messages', undefined, { ...asked, container: marker }],
  ['a list of arguments', 'messages', undefined, user({ type: 'tool_use', id: 'i', name: 'f', input: [marker] })],
  ['the bytes of a document', 'messages', undefined, user(document(marker, 'application/pdf'))],
  ['a single item', 'createModelResponse', undefined, { input: { role: 'user', content: marker } }],
  ['a list of instructions', 'createModelResponse', undefined, { input: 'x', instructions: [{ content: marker }] }],
  ['a prompt', 'createModelResponse', undefined, { input: 'x', prompt: marker }],
  ['a member of a prompt', 'createModelResponse', undefined, { input: 'x', prompt: { id: 'p', note: marker } }],
  ['a list of variables', 'createModelResponse', undefined, { prompt: { id: 'p', variables: [marker] } }],
  ['the name of a variable', 'createModelResponse', undefined, { prompt: { id: 'p', variables: { [marker]: 'x' } } }],
  [
    'where a shell runs',
    'createModelResponse',
    undefined,
    item({ type: 'shell_call', environment: { skills: [marker] } }),
  ],
  ['the form of a text', 'createModelResponse', undefined, { input: 'x', text: marker }],
  ['a list of results', 'chatComplete', 'gemini', parts({ functionResponse: { name: 'f', response: [marker] } })],
  ['a list of arguments', 'chatComplete', 'gemini', parts({ functionCall: { name: 'f', args: [marker] } })],
  ['a call', 'chatComplete', 'gemini', parts({ functionCall: marker })],
  ['a result', 'chatComplete', 'gemini', parts({ functionResponse: marker })],
  ['code', 'chatComplete', 'gemini', parts({ executableCode: marker })],
  ['data', 'chatComplete', 'gemini', parts({ inlineData: marker })],
  ['the bytes of an image', 'chatComplete', 'gemini', parts({ inlineData: { mimeType: 'image/png', data: marker } })],
  [
    'the address of an image',
    'chatComplete',
    'gemini',
    parts({ fileData: { mimeType: 'image/png', fileUri: marker } }),
  ],
];

function document(data: string, type?: string): JsonObject {
  return { type: 'document', source: { type: 'base64', data, ...(type === undefined ? {} : { media_type: type }) } };
}

const read = (endpoint: Endpoint, dialect: DialectName | undefined, body: JsonObject) =>
  readRequest(exchangeOf({ endpoint, ...(dialect === undefined ? {} : { dialect }) }), body);

describe('a text in the place of something else', () => {
  for (const [what, endpoint, dialect, body] of table)
    it(`is read once in the place of ${what} (${dialect ?? endpoint})`, () => {
      const reading = read(endpoint, dialect, body);
      const { texts } = scanRequest(reading, 'all_messages', false);
      assert.equal(texts.filter(({ text }) => text.includes(marker)).length, 1);
      assert.deepEqual(reading.unreadable, []);
    });
});

describe('an encoded file', () => {
  const data = `data:text/plain;base64,${encoded}`;
  const files: readonly [string, Endpoint, DialectName | undefined, JsonObject][] = [
    ['without a type', 'messages', undefined, user(document(encoded))],
    ['without a type', 'chatComplete', 'gemini', parts({ inlineData: { data: encoded } })],
    [
      'of two types',
      'chatComplete',
      'gemini',
      parts({ inlineData: { mimeType: 'image/png', mime_type: 'text/plain', data: encoded } }),
    ],
    ['in an address', 'chatComplete', 'gemini', parts({ fileData: { mimeType: 'text/plain', fileUri: data } })],
  ];
  for (const [what, endpoint, dialect, body] of files)
    it(`that may be a text is one that no check can read: ${what} (${dialect ?? endpoint})`, () => {
      assert.equal(read(endpoint, dialect, body).unreadable.length, 1);
    });

  it('that is no text is none', () => {
    assert.deepEqual(read('messages', undefined, user(document(encoded, 'application/pdf'))).unreadable, []);
    assert.deepEqual(
      read('chatComplete', 'gemini', parts({ inlineData: { mimeType: 'image/png', data: encoded } })).unreadable,
      [],
    );
  });
});
