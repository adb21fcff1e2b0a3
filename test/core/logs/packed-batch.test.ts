import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { LogEntry } from 'portcullis/sdk';
import { entriesOf, type PackedBatch, packBatch } from '../../../core/logs/packed-batch.ts';
import { bodiesOf, feedbackRow, hour, logRow, start } from './rows.ts';

const texts = fc.string({ unit: 'grapheme', maxLength: 200 });
const plain = { noNullPrototype: true };
const side = fc.record({ headers: fc.dictionary(fc.constantFrom('a', 'b'), texts, plain), body: texts }, plain);
const bodies = fc.record({ request: side, response: side, truncated: fc.boolean() }, plain);
const entry = fc
  .record({
    bodies: fc.option(bodies, { nil: undefined }),
    createdAt: fc.integer({ min: start, max: start + 3 * hour }),
    path: texts,
    metadata: fc.dictionary(texts, texts, plain),
    user: fc.option(texts),
  })
  .map(({ bodies, ...row }): LogEntry => ({ row: logRow(row), bodies }));

/** As another thread gets it. */
function received(batch: PackedBatch): PackedBatch {
  return structuredClone(batch, { transfer: [batch.buffer] });
}

describe('a packed batch', () => {
  it('gives a thread what was put in, in its order, texts of bytes as well', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const asBytes = entries.map(({ row, bodies: given }) => ({
          row,
          bodies: given && { ...given, request: { ...given.request, body: Buffer.from(given.request.body) } },
        }));
        assert.deepEqual(entriesOf(received(packBatch({ entries: asBytes, feedback: [] }))), entries);
      }),
    );
  });

  it('keeps what a row has none of as it was', () => {
    const { timings, attempts } = logRow();
    const [attempt] = attempts;
    assert.ok(attempt);
    const row = logRow({
      timings: { ...timings, firstByte: undefined },
      attempts: [
        { ...attempt, provider: undefined },
        { ...attempt, error: 'upstream_error' },
      ],
    });
    const [{ row: found } = { row }] = entriesOf(packBatch({ entries: [{ row, bodies: undefined }], feedback: [] }));
    assert.equal(found.timings.firstByte, undefined);
    assert.equal(found.attempts[0]?.provider, undefined);
    assert.deepEqual(found.attempts[1], row.attempts[1]);
  });

  it('is handed over and not copied, with feedback beside it', () => {
    const given = feedbackRow();
    const batch = packBatch({ entries: [{ row: logRow(), bodies: bodiesOf('a', 'b') }], feedback: [given] });
    assert.deepEqual(received(batch).feedback, [given]);
    assert.equal(batch.buffer.byteLength, 0);
  });

  it('has blocks of one hour and of about a MiB, so that they can be forgotten, and read, by themselves', () => {
    const at = (createdAt: number, body = 'x') => ({ row: logRow({ createdAt }), bodies: bodiesOf(body, body) });
    const hours = packBatch({ entries: [at(start), at(start + 1), at(start + hour), at(start)], feedback: [] });
    assert.deepEqual(
      hours.blocks.map(({ bodied, lastAt }) => [bodied.length, lastAt]),
      [
        [2, start + 1],
        [1, start + hour],
        [1, start],
      ],
    );
    const large = 'y'.repeat(200_000);
    const sizes = packBatch({ entries: Array.from({ length: 12 }, () => at(start, large)), feedback: [] });
    assert.deepEqual(
      sizes.blocks.map(({ bodied }) => bodied.length),
      [3, 3, 3, 3],
    );
  });

  it('only says who has bodies where they are kept elsewhere', () => {
    const entries = [
      { row: logRow(), bodies: bodiesOf('a', 'b') },
      { row: logRow(), bodies: undefined },
    ];
    const [block] = packBatch({ entries, feedback: [] }, false).blocks;
    assert.deepEqual(block?.bodied, [true, false]);
    assert.equal(block?.bodies.length, 0);
  });
});
