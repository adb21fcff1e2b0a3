import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFramer, FramingError } from '../../../sdk/framing/framing.ts';
import { assertSameForAnyChunks, bytesOf, chunkSizes, cut, framesOf } from './chunking.ts';

const CASES: { name: string; stream: string; lines: string[] }[] = [
  { name: 'ends lines at LF', stream: '{"a":1}\n{"b":2}\n', lines: ['{"a":1}', '{"b":2}'] },
  { name: 'ends lines at CRLF', stream: '{"a":1}\r\n{"b":2}\r\n', lines: ['{"a":1}', '{"b":2}'] },
  { name: 'ends lines at CR', stream: '{"a":1}\r{"b":2}\r', lines: ['{"a":1}', '{"b":2}'] },
  { name: 'skips blank lines', stream: '\n\r\n \t\n1\n\n\n2\n  ', lines: ['1', '2'] },
  { name: 'yields the last line without line end', stream: '1\n{"a":"é"}', lines: ['1', '{"a":"é"}'] },
  { name: 'drops a leading byte order mark', stream: '\uFEFF1\n2\n', lines: ['1', '2'] },
  { name: 'keeps the line as it is', stream: ' {"a": "\\n"} \n', lines: [' {"a": "\\n"} '] },
  { name: 'yields nothing for an empty stream', stream: '', lines: [] },
];

describe('ndjson framing', () => {
  for (const { name, stream, lines } of CASES) {
    const frames = lines.map((data) => ({ data }));
    it(name, () => assertSameForAnyChunks('ndjson', bytesOf(stream), [1], frames));
  }

  it('yields a line in the push that ends it', () => {
    const framer = createFramer('ndjson');
    assert.deepEqual(framer.push(bytesOf('{"a":1}\r')), [{ data: '{"a":1}' }]);
    assert.deepEqual(framer.push(bytesOf('\n2')), []);
    assert.deepEqual(framer.end(), [{ data: '2' }]);
  });

  it('yields the same frames for any chunks and line ends', () => {
    const line = fc.tuple(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n \n'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), chunkSizes, (lines, sizes) => {
        const stream = lines.map(([value, end]) => JSON.stringify(value) + end).join('');
        const frames = lines.map(([value]) => ({ data: JSON.stringify(value) }));
        assertSameForAnyChunks('ndjson', bytesOf(stream), sizes, frames);
      }),
    );
  });

  for (const size of [1, 7, 1000]) {
    it(`refuses a line over the limit in chunks of ${size}`, () => {
      const limits = { maxFrameBytes: 10 };
      const pass = bytesOf('1234567890\n'.repeat(5));
      assert.equal(framesOf('ndjson', cut(pass, [size]), limits).length, 5);
      for (const line of ['12345678901', '12345678901\n']) {
        const refuse = () => framesOf('ndjson', cut(bytesOf(line), [size]), limits);
        assert.throws(refuse, (error) => error instanceof FramingError && error.framing === 'ndjson');
      }
    });
  }
});
