import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFramer, type Frame, FramingError, sseFrame } from '../../../sdk/framing/framing.ts';
import { assertSameForAnyChunks, bytesOf, chunkSizes, cut, framesOf, framesOfText, text } from './chunking.ts';

const CASES: { name: string; stream: string; frames: Frame[] }[] = [
  { name: 'ends lines at LF', stream: 'data: a\n\ndata: b\n\n', frames: [{ data: 'a' }, { data: 'b' }] },
  { name: 'ends lines at CRLF', stream: 'data: a\r\n\r\ndata: b\r\n\r\n', frames: [{ data: 'a' }, { data: 'b' }] },
  { name: 'ends lines at CR', stream: 'data: a\r\rdata: b\r\r', frames: [{ data: 'a' }, { data: 'b' }] },
  { name: 'takes mixed line ends', stream: 'data: a\r\ndata: b\rdata: c\n\r\n', frames: [{ data: 'a\nb\nc' }] },
  {
    name: 'takes CR CR LF as two line ends',
    stream: 'data: a\r\r\ndata: b\n\n',
    frames: [{ data: 'a' }, { data: 'b' }],
  },
  { name: 'takes LF CR as two line ends', stream: 'data: a\n\rdata: b\n\n', frames: [{ data: 'a' }, { data: 'b' }] },
  { name: 'drops one leading byte order mark', stream: '\uFEFFdata: a\n\n', frames: [{ data: 'a' }] },
  { name: 'drops only one byte order mark', stream: '\uFEFF\uFEFFdata: a\n\n', frames: [] },
  { name: 'keeps a byte order mark inside data', stream: 'data: \uFEFFa\n\n', frames: [{ data: '\uFEFFa' }] },
  { name: 'does not drop a later mark', stream: 'data: a\n\n\uFEFFdata: b\n\n', frames: [{ data: 'a' }] },
  { name: 'skips comments', stream: ': ping\n\n:\n\ndata: a\n: in between\ndata: b\n\n', frames: [{ data: 'a\nb' }] },
  { name: 'joins data lines', stream: 'data: a\ndata:\ndata: b\n\n', frames: [{ data: 'a\n\nb' }] },
  { name: 'names an event', stream: 'event: ping\ndata: a\n\n', frames: [{ data: 'a', event: 'ping' }] },
  { name: 'takes the name after the data', stream: 'data: a\nevent: ping\n\n', frames: [{ data: 'a', event: 'ping' }] },
  { name: 'takes the last name', stream: 'event: x\nevent: y\ndata: a\n\n', frames: [{ data: 'a', event: 'y' }] },
  {
    name: 'forgets a name',
    stream: 'event: x\ndata: a\n\ndata: b\n\n',
    frames: [{ data: 'a', event: 'x' }, { data: 'b' }],
  },
  { name: 'takes an empty name as none', stream: 'event: x\nevent:\ndata: a\n\n', frames: [{ data: 'a' }] },
  { name: 'strips one space only', stream: 'data:  a \n\ndata:b\n\n', frames: [{ data: ' a ' }, { data: 'b' }] },
  { name: 'does not strip a tab', stream: 'data:\ta\n\n', frames: [{ data: '\ta' }] },
  { name: 'keeps colons of a value', stream: 'data: a: b:c\n\n', frames: [{ data: 'a: b:c' }] },
  {
    name: 'takes a field without colon as empty',
    stream: 'data\n\ndata\ndata\n\n',
    frames: [{ data: '' }, { data: '\n' }],
  },
  {
    name: 'ignores id, retry and unknown fields',
    stream: 'id: 1\nretry: 5\nfoo: b\ndata: a\n\n',
    frames: [{ data: 'a' }],
  },
  { name: 'ignores look-alike fields', stream: 'datum: a\ndata : b\n data: c\nDATA: d\neventx: e\n\n', frames: [] },
  { name: 'yields nothing for a name alone', stream: 'event: x\n\n\n\nid: 1\n\n', frames: [] },
  { name: 'forgets the name of a block without data', stream: 'event: x\n\ndata: a\n\n', frames: [{ data: 'a' }] },
  { name: 'yields an empty frame for an empty data line', stream: 'data:\n\n', frames: [{ data: '' }] },
  { name: 'keeps NUL bytes', stream: 'data: a\0b\n\nid: \0\ndata: c\n\n', frames: [{ data: 'a\0b' }, { data: 'c' }] },
  { name: 'dispatches a block without blank line', stream: 'event: x\ndata: a\n', frames: [{ data: 'a', event: 'x' }] },
  { name: 'dispatches a block without line end', stream: 'data: a\ndata: [DONE]', frames: [{ data: 'a\n[DONE]' }] },
  { name: 'yields nothing for a trailing name', stream: 'data: a\n\nevent: x', frames: [{ data: 'a' }] },
  { name: 'yields nothing for an empty stream', stream: '', frames: [] },
  { name: 'yields nothing for a mark alone', stream: '\uFEFF', frames: [] },
];

const LINE_ENDS = ['\n', '\r\n', '\r'];
const lineEnd = fc.constantFrom(...LINE_ENDS);
const oneLine = text.map((value) => value.replaceAll(/[\r\n]/g, ''));
const noise = fc.oneof(
  oneLine.map((value) => `:${value}`),
  oneLine.map((value) => `id: ${value}`),
  fc.constant('retry: 10'),
);
const block = fc.record({
  event: fc.option(oneLine, { nil: undefined }),
  lines: fc.array(oneLine, { minLength: 1, maxLength: 3 }),
  noise: fc.array(noise, { maxLength: 2 }),
  ends: fc.array(lineEnd, { minLength: 1, maxLength: 4 }),
});
type Block = typeof block extends fc.Arbitrary<infer T> ? T : never;

function written({ event, lines, noise: extra, ends }: Block): string {
  const name = event === undefined ? [] : [`event: ${event}`];
  const all = [...name, ...lines.flatMap((line, i) => [`data: ${line}`, ...extra.slice(i, i + 1)]), ''];
  // A lone CR right before an LF would be read as one line end: keep a block to ends that stay apart.
  const safe = ends.includes('\r') ? ends.map((end) => (end === '\n' ? '\r\n' : end)) : ends;
  return all.map((line, i) => line + (safe[i % safe.length] ?? '\n')).join('');
}

function expectedOf({ event, lines }: Block): Frame {
  const data = lines.join('\n');
  return event ? { data, event } : { data };
}

describe('sse framing', () => {
  for (const { name, stream, frames } of CASES) {
    it(name, () => assertSameForAnyChunks('sse', bytesOf(stream), [1], frames));
  }

  it('dispatches at a CR without waiting for the byte after it', () => {
    const framer = createFramer('sse');
    assert.deepEqual(framer.push(bytesOf('data: a\r\n\r')), [{ data: 'a' }]);
    assert.deepEqual(framer.push(bytesOf('\ndata: b\r')), []);
    assert.deepEqual(framer.push(bytesOf('\ndata: c\r')), []);
    assert.deepEqual(framer.push(bytesOf('')), []);
    assert.deepEqual(framer.push(bytesOf('\n')), []);
    assert.deepEqual(framer.push(bytesOf('\n')), [{ data: 'b\nc' }]);
  });

  it('dispatches a frame in the push that completes it', () => {
    const framer = createFramer('sse');
    assert.deepEqual(framer.push(bytesOf('data: a\n\nda')), [{ data: 'a' }]);
    assert.deepEqual(framer.push(bytesOf('ta: b\n\n')), [{ data: 'b' }]);
    assert.deepEqual(framer.end(), []);
  });

  it('replaces ill-formed UTF-8', () => {
    const bytes = Uint8Array.from([...bytesOf('data: a'), 0xff, 0xc3, ...bytesOf('b\n\n')]);
    assert.deepEqual(framesOf('sse', cut(bytes, [1])), [{ data: 'a\uFFFD\uFFFDb' }]);
  });

  it('yields the same frames for any chunks, line ends and noise', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), chunkSizes, fc.boolean(), (blocks, sizes, hasMark) => {
        // LF first, or a block ended by CR would swallow the LF that begins the next; a comment keeps them apart.
        const stream = (hasMark ? '\uFEFF' : '') + blocks.map(written).join(':\n');
        assertSameForAnyChunks('sse', bytesOf(stream), sizes, blocks.map(expectedOf));
      }),
    );
  });

  it('yields the same frames as one chunk for any text at all', () => {
    const piece = fc.constantFrom(
      'data',
      'event',
      ':',
      ' ',
      '\n',
      '\r',
      '\r\n',
      'a',
      '😀',
      '\uFEFF',
      '\n\n',
      'data: x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), chunkSizes, (pieces, sizes) => {
        const stream = pieces.join('');
        assertSameForAnyChunks('sse', bytesOf(stream), sizes, framesOfText('sse', stream));
      }),
    );
  });
});

describe('sse frame limit', () => {
  const refused: { name: string; stream: string }[] = [
    { name: 'a complete data line', stream: `data: ${'x'.repeat(60)}\n\n` },
    { name: 'a line that never ends', stream: 'x'.repeat(65) },
    { name: 'many short data lines', stream: 'data: abcde\n'.repeat(20) },
    { name: 'many empty data lines', stream: 'data\n'.repeat(20) },
    { name: 'a comment line', stream: `:${'x'.repeat(70)}\n` },
  ];
  for (const { name, stream } of refused) {
    for (const size of [1, 7, 1000]) {
      it(`refuses ${name} over it in chunks of ${size}`, () => {
        assert.throws(
          () => framesOf('sse', cut(bytesOf(stream), [size]), { maxFrameBytes: 64 }),
          (error) => error instanceof FramingError && error.framing === 'sse' && /64 bytes/.test(error.message),
        );
      });
    }
  }

  it('counts each frame alone', () => {
    const stream = `${`data: ${'x'.repeat(50)}\n: ping\n\n`.repeat(20)}`;
    for (const size of [1, 7, 5000]) {
      assert.equal(framesOf('sse', cut(bytesOf(stream), [size]), { maxFrameBytes: 64 }).length, 20);
    }
  });
});

describe('sseFrame', () => {
  const cases: { data: string; event?: string; written: string }[] = [
    { data: '{"a":1}', written: 'data: {"a":1}\n\n' },
    { data: '{}', event: 'ping', written: 'event: ping\ndata: {}\n\n' },
    { data: 'a\nb\r\nc\rd', written: 'data: a\ndata: b\ndata: c\ndata: d\n\n' },
    { data: '', written: 'data: \n\n' },
    { data: ' a', event: '', written: 'data:  a\n\n' },
    { data: 'a', event: 'x\r\ndata: forged', written: 'event: x data: forged\ndata: a\n\n' },
  ];
  for (const { data, event, written: expected } of cases) {
    it(`writes ${JSON.stringify({ data, event })}`, () => assert.equal(sseFrame(data, event), expected));
  }

  it('is read back by the framer', () => {
    const frame = fc.record({ data: text, event: fc.option(oneLine, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), chunkSizes, (frames, sizes) => {
        const stream = frames.map(({ data, event }) => sseFrame(data, event)).join('');
        const expected = frames.map(({ data, event }) => {
          const lines = data.replaceAll(/\r\n?/g, '\n');
          return event ? { data: lines, event } : { data: lines };
        });
        assertSameForAnyChunks('sse', bytesOf(stream), sizes, expected);
      }),
    );
  });
});
