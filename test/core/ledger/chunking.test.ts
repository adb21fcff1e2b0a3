import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { Collector } from '../upstream/support.ts';
import { closeLedgers } from './ledgers.ts';
import { opened, type Recording, recordings, type Way, waysOf } from './recorded.ts';

after(closeLedgers);

function counted(recording: Recording, way: Way, text: string, cuts: readonly number[]) {
  const { source, stream, ledger } = opened(recording, way);
  stream.pipe(new Collector());
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  [0, ...places].forEach((start, index) => {
    const chunk = bytes.subarray(start, places[index] ?? bytes.length);
    if (chunk.length > 0) source.send(Buffer.from(chunk));
  });
  source.end();
  const said = ledger.counted();
  assert.ok(!(said instanceof Promise), 'Closing counts need not be waited for.');
  return { ...said, tier: ledger.tier };
}

describe('a recorded stream tells the totals of its provider', () => {
  for (const recording of recordings) {
    const { name, dialect, text, usage, tier } = recording;
    const expected = { usage, usageSource: 'provider', tier };
    for (const way of waysOf(dialect)) {
      it(`${name}, ${way}: event by event`, () => {
        const places = recording.events.map((_, index) => Buffer.byteLength(recording.events.slice(0, index).join('')));
        assert.deepEqual(counted(recording, way, text, places), expected);
      });

      it(`${name}, ${way}: byte by byte`, () => {
        const each = Array.from({ length: Buffer.byteLength(text) }, (_, index) => index);
        assert.deepEqual(counted(recording, way, text, each), expected);
      });

      it(`${name}, ${way}: however it is cut, whatever its line ends`, () => {
        fc.assert(
          fc.property(fc.array(fc.nat(), { maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r'), (cuts, lineEnd) =>
            assert.deepEqual(counted(recording, way, text.replaceAll('\n', lineEnd), cuts), expected),
          ),
          { numRuns: 40 },
        );
      });
    }
  }
});
