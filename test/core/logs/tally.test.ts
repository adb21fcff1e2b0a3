import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogRow } from 'portcullis/sdk';
import { packBatch } from '../../../core/logs/batch-writer.ts';
import { indexedRowsOf } from '../../../core/logs/packed-batch.ts';
import { sqlEngine } from '../../../core/logs/sql/engine.ts';
import type { Sql, SqlDatabase } from '../../../core/logs/sql/sql.ts';
import { openSqlite } from '../../../core/logs/sql/sqlite.ts';
import { Tally } from '../../../core/logs/sql/tally.ts';
import { aggregateByHand } from './by-hand.ts';
import { hour, logRow, start } from './rows.ts';
import { freshFile } from './stores.ts';

const measures = ['requests', 'errors', 'costNanoUsd', 'avgLatency', 'p95Latency', 'firstSeen', 'lastSeen'] as const;
const filter = { organisationId: 'org-1', from: start, to: start + 4 * hour };
let made = 0;

function request(): LogRow {
  made += 1;
  return logRow({
    // Not always of whole milliseconds.
    createdAt: start + ((made * 977_131.25) % (3 * hour)),
    status: made % 5 === 0 ? 500 : 200,
    model: made % 2 === 0 ? 'a' : 'b',
    durationMs: made % 90,
    user: made % 3 === 0 ? null : `user-${made % 4}`,
    metadata: made % 2 === 0 ? { team: `team-${made % 3}` } : {},
  });
}

/** Writes to a file as a process of its own would, and counts how often it has grouped rows by reading them again. */
async function writerOf(file: string, settleRows: number) {
  const database = openSqlite(file, false);
  let groupings = 0;
  let failing: RegExp | undefined;
  const watched = (sql: Sql): Sql => ({
    ...sql,
    all: (text, values) => {
      if (text.includes('GROUP_CONCAT')) groupings += 1;
      return sql.all(text, values);
    },
    run: async (text, values) => {
      if (failing?.test(text)) throw new Error('the disk is full');
      return sql.run(text, values);
    },
  });
  const watching: SqlDatabase = {
    ...database,
    transaction: (work) => database.transaction((sql) => work(watched(sql))),
  };
  const engine = await sqlEngine(watching, { bodies: 'row', settleRows }, false);
  const kept: LogRow[] = [];
  return {
    engine,
    kept,
    write: async (rows: readonly LogRow[]) => {
      await engine.write(packBatch(rows.map((row) => ({ row, bodies: undefined }))));
      kept.push(...rows);
    },
    fail: (what: RegExp | undefined) => {
      failing = what;
    },
    groupings: () => groupings,
    settled: async () => Number((await database.all('SELECT seq FROM log_settled'))[0]?.seq),
  };
}

type Writer = Awaited<ReturnType<typeof writerOf>>;
const some = (count: number) => Array.from({ length: count }, request);

async function check({ engine }: Writer, rows: readonly LogRow[]): Promise<void> {
  const kept = rows.map((row) => ({ ...row, createdAt: Math.round(row.createdAt) }));
  for (const by of [[], ['model', 'status'], ['user'], ['metadata:team']] as const) {
    const query = { filter, by, measures, limit: 100, offset: 0 };
    const { rows: found } = await engine.aggregate(query);
    for (const { keys, values } of aggregateByHand(query, { rows: kept, feedback: [] })) {
      const own = found.find((one) => JSON.stringify(one.keys) === JSON.stringify(keys))?.values;
      for (const measure of measures) {
        const [a, b] = [own?.[measure] ?? Number.NaN, values[measure] ?? 0];
        const slack = measure === 'p95Latency' ? 0.0101 * b : 1e-6;
        assert.ok(Math.abs(a - b) <= slack, `${keys} ${measure}: ${a}, ${b}`);
      }
    }
  }
}

describe('rows that wait for their rollups', () => {
  it('are not read again by who has written them all', async () => {
    const writer = await writerOf(freshFile(), 20);
    for (let batch = 0; batch < 9; batch += 1) await writer.write(some(7));
    assert.deepEqual([await writer.settled(), writer.groupings()], [63, 0]);
    await check(writer, writer.kept);
    await writer.engine.close();
  });

  it('are read where another process has written some of them, or has settled some', async () => {
    const file = freshFile();
    const [first, second] = [await writerOf(file, 20), await writerOf(file, 20)];
    for (let batch = 0; batch < 12; batch += 1) await (batch % 3 === 0 ? second : first).write(some(7));
    assert.ok(first.groupings() + second.groupings() > 0);
    await check(first, [...first.kept, ...second.kept]);
    await check(second, [...first.kept, ...second.kept]);
    await Promise.all([first.engine.close(), second.engine.close()]);
  });

  it('are read where a process before has left some', async () => {
    const file = freshFile();
    const first = await writerOf(file, 20);
    await first.write(some(9));
    await first.engine.close();
    const second = await writerOf(file, 20);
    await second.write(some(15));
    assert.deepEqual([await second.settled(), second.groupings()], [24, 2]);
    await second.write(some(25));
    assert.equal(second.groupings(), 2);
    await check(second, [...first.kept, ...second.kept]);
    await second.engine.close();
  });

  it('are forgotten where they have too many groups to be kept', () => {
    const rows = packBatch(some(12).map((row) => ({ row, bodies: undefined }))).blocks.flatMap(indexedRowsOf);
    const [enough, few] = [new Tally(0, 100), new Tally(0, 3)];
    for (const tally of [enough, few]) tally.add(rows);
    assert.deepEqual([enough.count, few.count, few.groups()], [12, undefined, []]);
  });

  it('count once where their batch comes twice, whole or in part', async () => {
    const writer = await writerOf(freshFile(), 20);
    const rows = some(8);
    await writer.write(rows);
    await writer.engine.write(packBatch(rows.map((row) => ({ row, bodies: undefined }))));
    await writer.engine.write(packBatch(rows.slice(3, 5).map((row) => ({ row, bodies: undefined }))));
    await writer.write(some(14));
    assert.ok((await writer.settled()) > 0);
    await check(writer, writer.kept);
    await writer.engine.close();
  });

  it('are counted once where settling fails in the middle', async () => {
    const writer = await writerOf(freshFile(), 20);
    await writer.write(some(15));
    writer.fail(/UPDATE log_settled/);
    const late = some(10);
    await assert.rejects(writer.write(late), /disk is full/);
    assert.equal(await writer.settled(), 0);
    writer.fail(undefined);
    // The batch comes again: its rows are there, and its answer was lost.
    await writer.write(late);
    assert.equal(await writer.settled(), 25);
    await check(writer, writer.kept);
    await writer.engine.close();
  });
});
