import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFramer, type Frame, type Framing, FramingError } from '../../../sdk/framing/framing.ts';
import { bytesOf, chunkSizes, cut, framesOf } from './chunking.ts';

const FRAMINGS: Framing[] = ['sse', 'ndjson', 'json-array', 'event-stream'];

const syntax = fc.constantFrom(
  ...Array.from(bytesOf('data: event\r\n[]{},"\\ 1\0'), (byte) => byte),
  0xef,
  0xbb,
  0xbf,
  0xff,
);
const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(syntax, { maxLength: 300 }).map((bytes) => Uint8Array.from(bytes)),
);

function outcome(run: () => Frame[]): Frame[] | string {
  try {
    return run();
  } catch (error) {
    assert.ok(error instanceof FramingError, String(error));
    return error.message;
  }
}

describe('every framing', () => {
  for (const framing of FRAMINGS) {
    it(`${framing} meets garbage with frames or a FramingError, the same for any chunks`, () => {
      fc.assert(
        fc.property(garbage, chunkSizes, (bytes, sizes) => {
          const whole = outcome(() => framesOf(framing, [bytes], { maxFrameBytes: 100 }));
          assert.deepEqual(
            outcome(() => framesOf(framing, cut(bytes, sizes), { maxFrameBytes: 100 })),
            whole,
          );
        }),
        { numRuns: 500 },
      );
    });

    it(`${framing} refuses bytes after the end and may be ended twice`, () => {
      const framer = createFramer(framing);
      framer.push(bytesOf(framing === 'json-array' ? '[]' : ''));
      framer.end();
      assert.deepEqual(framer.end(), []);
      assert.throws(() => framer.push(bytesOf('x')), FramingError);
    });

    it(`${framing} keeps refusing once it has refused`, () => {
      const framer = createFramer(framing, { maxFrameBytes: 20 });
      const oversized = bytesOf(`"${'x'.repeat(30)}`);
      assert.throws(() => framer.push(oversized), FramingError);
      assert.throws(() => framer.push(bytesOf('\n\ndata: a\n\n')), FramingError);
      assert.throws(() => framer.end(), FramingError);
    });

    for (const maxFrameBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      it(`${framing} does not accept ${maxFrameBytes} as its limit`, () => {
        assert.throws(() => createFramer(framing, { maxFrameBytes }), RangeError);
      });
    }
  }

  it('takes frames up to 16 MiB and no larger unless told otherwise', () => {
    const line = Buffer.alloc(16 * 1024 * 1024, 'x');
    assert.equal(framesOf('ndjson', [line])[0]?.data.length, line.length);
    assert.throws(() => framesOf('ndjson', [line, bytesOf('x')]), FramingError);
    assert.equal(framesOf('ndjson', [line, bytesOf('x')], { maxFrameBytes: line.length + 1 }).length, 1);
  });

  it('accepts a Buffer that is a window of a larger one', () => {
    const window = Buffer.from('xxdata: a\n\nyy').subarray(2, 11);
    assert.deepEqual(framesOf('sse', [window]), [{ data: 'a' }]);
    assert.deepEqual(framesOf('sse', [new Uint8Array(window.buffer, window.byteOffset, window.length)]), [
      { data: 'a' },
    ]);
  });

  it('never quotes the stream in an error', () => {
    for (const framing of FRAMINGS) {
      const framer = createFramer(framing, { maxFrameBytes: 20 });
      const secret = () => framer.push(bytesOf('sk-secret-sk-secret-sk-secret'));
      assert.throws(secret, (error) => error instanceof FramingError && !error.message.includes('secret'));
    }
  });
});
