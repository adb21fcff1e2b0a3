import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import type { LogEntry } from 'portcullis/sdk';
import { BatchWriter, BlockPool, packBatch } from '../../../core/logs/batch-writer.ts';
import { entriesOf, type PackedBatch } from '../../../core/logs/packed-batch.ts';
import { sharedOf } from '../../../core/logs/same-fields.ts';
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

describe('a packed batch', () => {
  it('gives a thread what was put in, in its order, texts of bytes as well', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const asBytes = entries.map(({ row, bodies: given }) => ({
          row,
          bodies: given && { ...given, request: { ...given.request, body: Buffer.from(given.request.body) } },
        }));
        assert.deepEqual(entriesOf(packBatch(asBytes)), entries);
      }),
    );
  });

  it('tells requests apart that differ in one of the fields which most of them share', () => {
    const plain = logRow();
    const entries = Object.keys(sharedOf(plain)).flatMap((field) =>
      [plain, logRow({ [field]: 'another' })].map((row) => ({ row, bodies: undefined })),
    );
    assert.deepEqual(entriesOf(packBatch(entries)), entries);
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
    const [{ row: found } = { row }] = entriesOf(packBatch([{ row, bodies: undefined }]));
    assert.equal(found.timings.firstByte, undefined);
    assert.equal(found.attempts[0]?.provider, undefined);
    assert.deepEqual(found.attempts[1], row.attempts[1]);
  });

  it('is seen by another thread in the same memory, with feedback beside it', async () => {
    const given = feedbackRow();
    const entry = { row: logRow(), bodies: bodiesOf('a', 'b') };
    const { port1, port2 } = new MessageChannel();
    const arrived = once(port2, 'message');
    const batch = packBatch([entry], [given]);
    port1.postMessage(batch);
    const [data] = (await arrived) as [PackedBatch];
    port1.close();
    assert.deepEqual([data.feedback, entriesOf(data)], [[given], [entry]]);
    batch.blocks[0]?.rows.fill(0x20, 0, 1);
    assert.equal(data.blocks[0]?.rows[0], 0x20);
  });

  it('is written into the memory of one that was released, and shows nothing of it', () => {
    const pool = new BlockPool();
    const first = new BatchWriter(true, pool);
    first.add({ row: logRow({ path: '/first' }), bodies: bodiesOf('a long body that was there before', 'b') });
    const [before] = first.packed().blocks;
    first.release();
    const second = new BatchWriter(true, pool);
    const entry = { row: logRow({ path: '/second' }), bodies: bodiesOf('c', 'd') };
    second.add(entry);
    assert.deepEqual(entriesOf(second.packed()), [entry]);
    assert.equal(second.packed().blocks[0]?.rows.buffer, before?.rows.buffer);
  });

  it('takes nothing of a request that is no JSON', () => {
    const batch = new BatchWriter();
    assert.throws(
      () => batch.add({ row: logRow({ inputTokens: 1n as unknown as number }), bodies: undefined }),
      TypeError,
    );
    const entry = { row: logRow(), bodies: undefined };
    batch.add(entry);
    assert.deepEqual([batch.count, entriesOf(batch.packed())], [1, [entry]]);
  });

  it('has blocks of one hour and of about a MiB, so that they can be forgotten, and read, by themselves', () => {
    const at = (createdAt: number, body = 'x') => ({ row: logRow({ createdAt }), bodies: bodiesOf(body, body) });
    const hours = packBatch([at(start), at(start + 1), at(start + hour), at(start)]);
    assert.deepEqual(
      hours.blocks.map(({ bodied, lastAt }) => [bodied.length, lastAt]),
      [
        [2, start + 1],
        [1, start + hour],
        [1, start],
      ],
    );
    const large = 'y'.repeat(200_000);
    const sizes = packBatch(Array.from({ length: 12 }, () => at(start, large)));
    assert.deepEqual(
      sizes.blocks.map(({ bodied }) => bodied.length),
      [3, 3, 3, 3],
    );
  });

  it('has what requests share once, for many callers beside each other', () => {
    const entries = Array.from({ length: 400 }, (_, index) => ({
      row: logRow({
        keyId: index % 3 === 0 ? null : `key-${index % 5}`,
        model: `m-${index % 4}`,
        status: 200 + (index % 2),
      }),
      bodies: undefined,
    }));
    const batch = packBatch(entries);
    assert.deepEqual(entriesOf(batch), entries);
    const named = Buffer.from(batch.blocks[0]?.rows ?? [])
      .toString()
      .match(/requestedModel/g);
    assert.ok(named !== null && named.length < 40, `${named?.length}`);
  });

  it('has timings to the microsecond', () => {
    const row = logRow({ timings: { ...logRow().timings, parse: 0.1234567, upstream: 12_345.6784, firstByte: 7e-7 } });
    const [found] = entriesOf(packBatch([{ row, bodies: undefined }]));
    const { parse, upstream, firstByte } = found?.row.timings ?? {};
    assert.deepEqual([parse, upstream, firstByte], [0.123, 12_345.678, 0]);
  });

  it('has attempts to the microsecond', () => {
    const attempt = {
      target: 'config',
      provider: 'openai',
      status: 200,
      startedAt: start + 7.5,
      durationMs: 12.3456789,
    };
    const row = logRow({ createdAt: start, attempts: [attempt, { ...attempt, startedAt: start - 0.25 }] });
    const [found] = entriesOf(packBatch([{ row, bodies: undefined }]));
    const [one, other] = found?.row.attempts ?? [];
    assert.deepEqual([one?.startedAt, one?.durationMs], [start + 7.5, 12.346]);
    assert.equal(other?.startedAt, start - 0.25, 'also where it begins before its request');
  });

  it('only says who has bodies where they are kept elsewhere', () => {
    const entries = [
      { row: logRow(), bodies: bodiesOf('a', 'b') },
      { row: logRow(), bodies: undefined },
    ];
    const [block] = packBatch(entries, [], false).blocks;
    assert.deepEqual(block?.bodied, [true, false]);
    assert.equal(block?.bodies.length, 0);
  });
});
