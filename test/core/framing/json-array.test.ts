import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFramer, FramingError } from '../../../sdk/framing/framing.ts';
import { assertSameForAnyChunks, bytesOf, chunkSizes, cut, framesOf } from './chunking.ts';

const CASES: { name: string; stream: string; elements: string[] }[] = [
  { name: 'yields objects', stream: '[{"a":1},{"b":2}]', elements: ['{"a":1}', '{"b":2}'] },
  { name: 'takes any whitespace', stream: ' \r\n[\t{"a": 1}\r\n,\n{"b":2} ] \n', elements: ['{"a": 1}', '{"b":2}'] },
  { name: 'yields arrays', stream: '[[1,[2]],[]]', elements: ['[1,[2]]', '[]'] },
  {
    name: 'yields scalars',
    stream: '[1,-2.5e+3,true,false,null ,"a"]',
    elements: ['1', '-2.5e+3', 'true', 'false', 'null', '"a"'],
  },
  { name: 'ignores brackets in strings', stream: '[{"a":"}]{["},"],["]', elements: ['{"a":"}]{["}', '"],["'] },
  {
    name: 'knows escapes',
    stream: '[{"a":"\\"}\\\\"},"\\\\","\\""]',
    elements: ['{"a":"\\"}\\\\"}', '"\\\\"', '"\\""'],
  },
  { name: 'knows escapes in strings only', stream: '[{\\},1]', elements: ['{\\}', '1'] },
  { name: 'yields nothing for an empty array', stream: ' [ ] ', elements: [] },
  { name: 'yields a lone object', stream: '\n{"error":{"code":[1,"}"]}}\n', elements: ['{"error":{"code":[1,"}"]}}'] },
];

const REFUSED: { name: string; stream: string; why: RegExp }[] = [
  { name: 'an empty stream', stream: '', why: /truncated/ },
  { name: 'whitespace only', stream: ' \n', why: /truncated/ },
  { name: 'an array never closed', stream: '[{"a":1}', why: /truncated/ },
  { name: 'an element never closed', stream: '[{"a":1},{"b"', why: /truncated/ },
  { name: 'a string never closed', stream: '["a', why: /truncated/ },
  { name: 'a literal never ended', stream: '[12', why: /truncated/ },
  { name: 'a lone object never closed', stream: '{"a":[1}', why: /truncated/ },
  { name: 'an end after a comma', stream: '[1,', why: /truncated/ },
  { name: 'a second array', stream: '[1][2]', why: /nothing after the end/ },
  { name: 'text after the array', stream: '[1] x', why: /nothing after the end/ },
  { name: 'a comma after a lone object', stream: '{},', why: /nothing after the end/ },
  { name: 'a second lone object', stream: '{}{}', why: /nothing after the end/ },
  { name: 'a lone string', stream: '"a"', why: /expected an array or an object/ },
  { name: 'a page of HTML', stream: '<html>', why: /expected an array or an object/ },
  { name: 'a missing comma', stream: '[1 2]', why: /expected a comma/ },
  { name: 'a leading comma', stream: '[,1]', why: /expected an element/ },
  { name: 'a trailing comma', stream: '[1,]', why: /expected an element after the comma/ },
  { name: 'a closing brace alone', stream: '[}', why: /expected an element/ },
  { name: 'a bare word', stream: '[abc]', why: /expected an element/ },
];

describe('json-array framing', () => {
  for (const { name, stream, elements } of CASES) {
    const frames = elements.map((data) => ({ data }));
    it(name, () => assertSameForAnyChunks('json-array', bytesOf(stream), [1], frames));
  }

  for (const { name, stream, why } of REFUSED) {
    it(`refuses ${name}`, () => {
      for (const size of [1, 3, 1000]) {
        const refuse = () => framesOf('json-array', cut(bytesOf(stream), [size]));
        assert.throws(refuse, (error) => error instanceof FramingError && why.test(error.message));
      }
    });
  }

  it('yields an element in the push that completes it', () => {
    const framer = createFramer('json-array');
    assert.deepEqual(framer.push(bytesOf('[{"a":1}')), [{ data: '{"a":1}' }]);
    assert.deepEqual(framer.push(bytesOf('\n,{"b"')), []);
    assert.deepEqual(framer.push(bytesOf(':2}')), [{ data: '{"b":2}' }]);
    assert.deepEqual(framer.push(bytesOf(']')), []);
    assert.deepEqual(framer.end(), []);
  });

  it('yields a lone object at the end only', () => {
    const framer = createFramer('json-array');
    assert.deepEqual(framer.push(bytesOf('{"error":1}')), []);
    assert.deepEqual(framer.end(), [{ data: '{"error":1}' }]);
  });

  it('yields the same frames for any chunks and whitespace', () => {
    const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });
    const indent = fc.constantFrom(undefined, 2);
    const element = fc.tuple(fc.jsonValue({ stringUnit: 'binary' }), indent, space, space);
    fc.assert(
      fc.property(fc.array(element, { maxLength: 6 }), chunkSizes, space, (elements, sizes, around) => {
        const texts = elements.map(([value, spaces]) => JSON.stringify(value, null, spaces));
        const body = elements.map(([, , before, after], i) => before + texts[i] + after).join(',');
        const frames = texts.map((data) => ({ data }));
        assertSameForAnyChunks('json-array', bytesOf(`${around}[${body}]${around}`), sizes, frames);
      }),
    );
  });

  for (const size of [1, 7, 1000]) {
    it(`refuses an element over the limit in chunks of ${size}`, () => {
      const limits = { maxFrameBytes: 10 };
      const pass = bytesOf('["12345678" , 1234567890,{"a":1234},[12,45678]]');
      assert.equal(framesOf('json-array', cut(pass, [size]), limits).length, 4);
      for (const stream of ['["123456789"]', '[12345678901]', '[{"a":12345}', '["never ends', '{"lone":123}']) {
        const refuse = () => framesOf('json-array', cut(bytesOf(stream), [size]), limits);
        assert.throws(refuse, (error) => error instanceof FramingError && /10 bytes/.test(error.message));
      }
    });
  }
});
