import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { FeedbackRow, LogEntry } from 'portcullis/sdk';
import { entriesOf, type PackedBatch } from '../../../core/logs/packed-batch.ts';
import type { LogSink, Refused } from '../../../core/logs/sink.ts';
import { SinkQueue } from '../../../core/logs/sink-queue.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { bodiesOf, feedbackRow, logRow } from './rows.ts';

const settings = {
  maxEntries: 100,
  maxBytes: 10_000_000,
  batchEntries: 10,
  batchBytes: 1_000_000,
  batchMs: 60_000,
  closeMs: 50,
  failureThreshold: 2,
  backoffMs: 1000,
};

type Write = (batch: PackedBatch) => Promise<Refused>;

function queueOver(write: Write, given: Partial<typeof settings> = {}) {
  const clock = { now: 0 };
  const batches: { readonly entries: readonly LogEntry[]; readonly feedback: readonly FeedbackRow[] }[] = [];
  const counts = new Map<string, number>();
  const { log, logged } = recordingLog();
  const sink: LogSink = {
    name: 'test',
    withBodies: true,
    write: async (batch) => {
      const refused = await write(batch);
      // Its memory is filled again once it is written.
      batches.push({ entries: entriesOf(batch), feedback: batch.feedback });
      return refused;
    },
    close: async () => {},
  };
  const counted = {
    add: (labels: readonly string[], value = 1) =>
      void counts.set(labels.join(' '), (counts.get(labels.join(' ')) ?? 0) + value),
  };
  const queue = new SinkQueue(
    sink,
    { ...settings, ...given },
    { now: () => clock.now, log, counted, transitions: counted },
  );
  return { queue, clock, batches, counts, logged };
}

const takes: Write = async () => ({ count: 0 });
const entry = () => ({ row: logRow(), bodies: undefined });
const refuses: Write = async () => {
  throw new Error('away');
};

describe('the queue before a sink', () => {
  it('writes requests and feedback in batches, in their order', async () => {
    const { queue, batches } = queueOver(takes);
    const entries = Array.from({ length: 14 }, entry);
    for (const one of entries) queue.push(one);
    queue.pushFeedback(feedbackRow({ id: 'mark' }));
    await queue.flush();
    assert.deepEqual(
      batches.map((batch) => [batch.entries.length, batch.feedback.length]),
      [
        [10, 0],
        [4, 1],
      ],
    );
    assert.deepEqual(
      batches.flatMap((batch) => batch.entries),
      entries,
    );
    assert.deepEqual(queue.state(), { sink: 'test', queued: 0, written: 15, dropped: 0, breaker: 'closed' });
  });

  it('writes a full batch by itself, and another one after its time', async () => {
    const { queue } = queueOver(takes, { batchMs: 5 });
    for (let count = 0; count < 10; count++) queue.push(entry());
    while (queue.state().written < 10) await sleep(1);
    queue.push(entry());
    while (queue.state().written < 11) await sleep(1);
    await queue.close();
  });

  it('drops what comes when it is full, by number and by bytes, and says so now and then', async () => {
    const { queue, logged, counts, clock } = queueOver(refuses, { maxBytes: 1_000_000 });
    for (let count = 0; count < 130; count++) queue.push(entry());
    assert.equal(queue.state().queued, 100);
    assert.equal(queue.state().dropped, 30);
    assert.equal(counts.get('test dropped'), 30);
    assert.deepEqual(
      logged.map(({ event, fields }) => [event, fields.dropped]),
      [['log_entries_dropped', 1]],
    );
    clock.now += 10_000;
    queue.push(entry());
    assert.equal(logged.at(-1)?.fields.dropped, 30);
    const big = queueOver(refuses, { maxBytes: 1_000_000 }).queue;
    for (let count = 0; count < 50; count++)
      big.push({ row: logRow(), bodies: bodiesOf('x'.repeat(40_000), Buffer.alloc(10_000)) });
    // What has passed the bound is the last.
    assert.ok(big.bytes >= 1_000_000 && big.bytes < 1_060_000, `${big.bytes} bytes`);
    assert.equal(big.state().queued + big.state().dropped, 50);
  });

  it('keeps what it could not write, stops trying, and writes it after a probe', async () => {
    let away = true;
    let calls = 0;
    const { queue, clock, logged, counts, batches } = queueOver(async () => {
      calls += 1;
      if (away) throw new Error('away');
      return { count: 0 };
    });
    for (let count = 0; count < 25; count++) queue.push(entry());
    for (let tries = 0; tries < 6; tries++) await queue.flush();
    assert.equal(calls, 2);
    assert.deepEqual(queue.state(), { sink: 'test', queued: 25, written: 0, dropped: 0, breaker: 'open' });
    clock.now += 1000;
    await queue.flush();
    assert.equal(calls, 3);
    assert.equal(queue.state().breaker, 'open');
    away = false;
    await queue.flush();
    assert.equal(calls, 3);
    clock.now += 1000;
    await queue.flush();
    assert.deepEqual(queue.state(), { sink: 'test', queued: 0, written: 25, dropped: 0, breaker: 'closed' });
    assert.equal(batches.length, 3);
    const changes = logged.filter(({ event }) => event === 'log_store_breaker').map(({ fields }) => fields.to);
    assert.deepEqual(changes, ['open', 'probing', 'open', 'probing', 'closed']);
    assert.equal(counts.get('test open'), 2);
  });

  it('counts what the sink refuses as dropped', async () => {
    const { queue, logged } = queueOver(async (batch) => ({
      count: entriesOf(batch).length > 5 ? 3 : 0,
      reason: 'too odd',
    }));
    for (let count = 0; count < 12; count++) queue.push(entry());
    await queue.flush();
    assert.deepEqual(queue.state(), { sink: 'test', queued: 0, written: 9, dropped: 3, breaker: 'closed' });
    assert.equal(logged[0]?.fields.reason, 'too odd');
  });

  it('ends within its time when the sink does not, and takes nothing more', async () => {
    let answer = (_: Refused) => {};
    const { queue } = queueOver(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    for (let count = 0; count < 12; count++) queue.push(entry());
    void queue.flush();
    await queue.close();
    queue.push(entry());
    // The answer that comes too late changes no count.
    answer({ count: 0 });
    await sleep(1);
    assert.deepEqual(
      { ...queue.state(), breaker: '' },
      { sink: 'test', queued: 0, written: 0, dropped: 13, breaker: '' },
    );
  });

  it('loses nothing uncounted, whatever the sink does', async () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), count: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ kind: fc.constant('flush' as const), fate: fc.constantFrom('takes', 'fails', 'refuses one') }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 999, 1000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        let fate = 'takes';
        let stored = 0;
        const { queue, clock } = queueOver(async (batch) => {
          if (fate === 'fails') throw new Error('away');
          const count = fate === 'refuses one' ? 1 : 0;
          stored += entriesOf(batch).length - count;
          return { count };
        });
        let sent = 0;
        for (const one of acts) {
          if (one.kind === 'wait') clock.now += one.ms;
          if (one.kind === 'push') for (let count = 0; count < one.count; count++, sent++) queue.push(entry());
          if (one.kind === 'flush') {
            fate = one.fate;
            await queue.flush();
          }
          const { written, dropped, queued } = queue.state();
          assert.equal(written + dropped + queued, sent);
          assert.equal(written, stored);
          assert.ok(queued <= settings.maxEntries);
        }
        await queue.close();
        const { written, dropped, queued } = queue.state();
        assert.deepEqual([written + dropped, queued, queue.bytes], [sent, 0, 0]);
      }),
      { numRuns: 100 },
    );
  });
});
