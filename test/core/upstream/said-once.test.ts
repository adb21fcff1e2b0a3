import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json } from 'portcullis/sdk';
import { saidOnce } from '../../../core/upstream/said-once.ts';

const said = (text: string | Uint8Array) => {
  const bytes = Buffer.from(text);
  return saidOnce(bytes, JSON.parse(bytes.toString()) as Json);
};

describe('what a JSON text says', () => {
  for (const text of [
    '{}',
    '[]',
    '"a"',
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":"a"}]}',
    ' { "a" : ":" ,\n"b"\t:\r"\\":" , "\\\\":"\\\\" } ',
    '{"__proto__":{"toString":1},"constructor":"x"}',
    '{"":"","a":""}',
    '{"é":"\\u00e9 \\ud83d\\ude00 😀"}',
  ])
    it(`is said once in ${JSON.stringify(text)}`, () => assert.equal(said(text), true));

  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1},"a":2}',
    '{"a":2,"a":{"b":1}}',
    '[[{"x":[{"a":1 , "a" : 2}]}]]',
    '{"__proto__":1,"__proto__":2}',
    '{"a":"b","c":[],"a":"b"}',
  ])
    it(`is said twice in ${text}`, () => assert.equal(said(text), false));

  it('is told apart behind strings of any length, with escapes wherever they fall', () => {
    for (let length = 0; length < 80; length += 1) {
      for (const tail of ['', '\\\\', '\\"', '\\\\\\"', '\\"a\\":', '\\\\\\\\']) {
        const text = `{"a":"${'x'.repeat(length)}${tail}","b":{"c":1}`;
        assert.equal(said(`${text}}`), true, text);
        assert.equal(said(`${text},"a":1}`), false, text);
      }
    }
  });

  it('may be read in more ways than one where the bytes are no UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xa2]), Buffer.from('"}')]);
    assert.equal(said(bytes), false);
  });

  it('is not known where it is nested too deeply', () => {
    assert.equal(said(`${'['.repeat(400)}${']'.repeat(400)}`), true);
    assert.equal(said(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), false);
  });

  it('is said once in whatever was written from a value, and twice with any member of it again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
        const space = at % 3;
        const text = JSON.stringify(value, undefined, space);
        assert.equal(said(text), true);
        const again = JSON.stringify(Object.keys(value)[at % Object.keys(value).length]);
        assert.equal(said(`${text.trimEnd().slice(0, -1)},${again}:null}`), false);
      }),
    );
  });
});
