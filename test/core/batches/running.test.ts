import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredBatch } from '../../../core/batches/batch.ts';
import { memoryBatchRecords } from '../../../core/batches/memory-records.ts';
import { lineHeaders } from '../../../core/batches/options.ts';
import { Pace } from '../../../core/batches/pace.ts';
import type { BatchRecords } from '../../../core/batches/records.ts';
import { sqlBatchRecords } from '../../../core/batches/sql-records.ts';
import { batchMigrations } from '../../../core/batches/tables.ts';
import { WrittenFiles } from '../../../core/batches/written-files.ts';
import { onEachStore } from '../../support/stores.ts';

const batchWith = (number: number, more: Partial<StoredBatch> = {}): StoredBatch => ({
  id: `batch_gw_${number}`,
  scope: 'file',
  holder: 'me',
  status: 'in_progress',
  createdAt: 1000 + number,
  expiresAt: 90_000,
  cancellingAt: undefined,
  heartbeatAt: 1,
  endpoint: '/v1/embeddings',
  inputFileId: 'file-1',
  metadata: { a: 'b' },
  times: { in_progress_at: 5 },
  counts: { total: 3, completed: 2, failed: 1 },
  faults: [{ code: 'c', message: 'm', param: null, line: 4 }],
  bytes: { output: 3, error: 0 },
  ...more,
});

const textOf = async (records: BatchRecords, id: string) =>
  Buffer.concat(await Array.fromAsync(records.content(id, 'output'))).toString();

function kept(name: string, start: () => Promise<BatchRecords>): void {
  describe(`batches that are kept ${name}`, () => {
    it('come back as they are, page by page, newest first, of one scope', async () => {
      const records = await start();
      for (let number = 0; number < 5; number += 1)
        await records.insert(batchWith(number, { createdAt: 1000 + (number >> 1) }));
      await records.insert(batchWith(9, { scope: 'other' }));
      assert.deepEqual(await records.find('batch_gw_0'), batchWith(0, { createdAt: 1000 }));
      assert.equal(await records.find('batch_gw_7'), undefined);
      const first = await records.list('file', 3, undefined);
      assert.deepEqual(
        [first.batches.map(({ id }) => id), first.more],
        [['batch_gw_4', 'batch_gw_3', 'batch_gw_2'], true],
      );
      const second = await records.list('file', 3, first.batches[2]);
      assert.deepEqual([second.batches.map(({ id }) => id), second.more], [['batch_gw_1', 'batch_gw_0'], false]);
    });

    it('grow, also by what is written twice, until they are finished', async () => {
      const records = await start();
      await records.insert(batchWith(1));
      const piece = { kind: 'output', number: 0, text: 'ä😀\n' } as const;
      await records.save(batchWith(1), [piece]);
      await records.cancel('batch_gw_1', 7);
      const saved = await records.save(batchWith(1, { heartbeatAt: 2 }), [piece, { ...piece, number: 1, text: 'b\n' }]);
      assert.deepEqual([saved?.cancellingAt, saved?.heartbeatAt], [7, 2]);
      assert.equal(await textOf(records, 'batch_gw_1'), 'ä😀\nb\n');
      await records.save(batchWith(1, { status: 'cancelled' }), []);
      assert.equal(await records.save(batchWith(1), []), undefined);
      await records.cancel('batch_gw_1', 9);
      assert.equal((await records.find('batch_gw_1'))?.cancellingAt, 7);
      await records.removeFile('batch_gw_1', 'output');
      assert.deepEqual(
        [await textOf(records, 'batch_gw_1'), (await records.find('batch_gw_1'))?.bytes.output],
        ['', 0],
      );
    });
  });
}

kept('in memory', async () => memoryBatchRecords(() => 2_000_000));

onEachStore((_, open) => {
  const start = async () => {
    const store = await open();
    for (const { up } of batchMigrations) await up(store.db);
    return sqlBatchRecords(store);
  };
  kept('in the store', start);

  it('are lost to another holder, and to who takes over', async () => {
    const records = await start();
    await records.insert(batchWith(1));
    assert.equal(await records.save(batchWith(1, { holder: 'you' }), []), undefined);
    await records.takeOver(batchWith(1, { status: 'failed', heartbeatAt: 99 }));
    assert.equal((await records.find('batch_gw_1'))?.status, 'in_progress', 'it has said something since');
    await records.takeOver(batchWith(1, { status: 'failed' }));
    assert.equal(await records.save(batchWith(1), []), undefined);
  });
});

describe('the memory of batches', () => {
  it('has room for so many, and so much', async () => {
    const records = memoryBatchRecords(() => 2_000_000, { mostBatches: 2, mostBytes: 100 });
    for (const number of [1, 2, 3]) {
      await records.insert(batchWith(number));
      await records.save(batchWith(number, { status: 'completed' }), [
        { kind: 'output', number: 0, text: 'x'.repeat(40) },
      ]);
    }
    assert.deepEqual(
      (await records.list('file', 9, undefined)).batches.map(({ id }) => id),
      ['batch_gw_3', 'batch_gw_2'],
    );
    await records.insert(batchWith(4));
    const full = records.save(batchWith(4), [{ kind: 'output', number: 0, text: 'x'.repeat(200) }]);
    await assert.rejects(full, { code: 'payload_too_large' });
    assert.equal(await textOf(records, 'batch_gw_4'), '');
  });
});

describe('the files of a batch', () => {
  it('are cut between characters, and given again until they are kept', () => {
    const files = new WrittenFiles();
    const line = `x${'😀'.repeat(200_000)}`;
    files.add('output', line);
    const pieces = files.pieces();
    assert.ok(pieces.length > 1);
    assert.equal(pieces.map(({ text }) => Buffer.from(text).toString()).join(''), `${line}\n`);
    assert.deepEqual(files.pieces(), pieces);
    files.kept(pieces);
    assert.deepEqual([files.pieces(), files.waiting, files.bytes.output], [[], 0, 800_002]);
    files.add('output', 'next');
    assert.equal(files.pieces()[0]?.number, pieces.length);
  });
});

describe('the pace', () => {
  it('is 25 in 5 seconds, whenever they come', async () => {
    let now = 0;
    const starts: number[] = [];
    const sleep = async (ms: number) => {
      now += ms;
    };
    const pace = new Pace({ clock: () => now, sleep });
    const { signal } = new AbortController();
    for (let count = 0; count < 80; count += 1) {
      await pace.turn(signal);
      starts.push(now);
      now += 10;
    }
    for (const [index, at] of starts.entries())
      assert.ok(at - (starts[index - 25] ?? at - 5000) >= 5000, `${index}: ${at}`);
    await assert.rejects(pace.turn(AbortSignal.abort()));
  });
});

describe('the headers of lines', () => {
  const own = { traceId: 't', spanId: 's', batchId: 'batch_gw_1' };
  const made = (headers: Record<string, string>, body = {}, vendors = ['gw', 'old']) =>
    lineHeaders(headers, body, vendors, own);

  it('are those of the request, without what is of its connection and its body', () => {
    const headers = made({
      'x-gw-config': 'c',
      'content-length': '5',
      range: 'bytes=0-1',
      'idempotency-key': 'k',
      'x-gw-span-id': 'p',
    });
    assert.deepEqual(headers, {
      'x-gw-config': 'c',
      'x-gw-trace-id': 't',
      'x-gw-parent-span-id': 's',
      'x-gw-metadata': '{"_batch_id":"batch_gw_1"}',
      'content-type': 'application/json',
    });
  });

  it('have options in the place of every spelling, and keep metadata that has no room', () => {
    const headers = made(
      { 'x-old-config': 'a' },
      { old_options: { config: { provider: 'echo' }, strict_compliance: false } },
    );
    assert.equal(headers['x-old-config'], undefined);
    assert.equal(headers['x-gw-config'], '{"provider":"echo"}');
    assert.equal(headers['x-gw-strict-compliance'], 'false');
    const full = JSON.stringify(Object.fromEntries(Array.from({ length: 128 }, (_, index) => [`k${index}`, 'v'])));
    assert.equal(made({ 'x-gw-metadata': full })['x-gw-metadata'], full);
    for (const gw_options of [{ API_KEY: 'x' }, { 'x-gw-api-key': 'x' }, { 'a b': 'x' }, { config: '\n' }])
      assert.throws(() => made({}, { gw_options }), { code: 'bad_request' });
  });
});
