import type { FeedbackRow, LogEntry } from 'portcullis/sdk';
import { isUnavailable } from '../../store/failures.ts';
import { packBatch } from '../batch-writer.ts';
import type { BodyFormat, EngineOptions, LogEngine } from '../engine.ts';
import { entriesOf, type PackedBatch } from '../packed-batch.ts';
import type { IndexedRow } from '../row-line.ts';
import type { Refused } from '../sink.ts';
import { aggregate } from './aggregate.ts';
import { changeFeedback, feedbackGroups } from './feedback.ts';
import { prune } from './prune.ts';
import { findEntry, listEntries } from './read.ts';
import { prepareSchema } from './schema.ts';
import { settle, settledRows } from './settle.ts';
import type { SqlDatabase } from './sql.ts';
import { Tally } from './tally.ts';
import { writeBatch } from './write.ts';

/** What the rows that wait for their rollups may cost a question: some ten milliseconds. */
const settleDefault = 20_000;

/** Logs in the tables of a SQL database. Who only reads expects the tables to be there. */
export async function sqlEngine(
  database: SqlDatabase,
  { bodies, objects, settleRows = settleDefault }: EngineOptions,
  readOnly: boolean,
): Promise<LogEngine> {
  let tally = new Tally();
  try {
    if (!readOnly) {
      await prepareSchema(database);
      tally = new Tally((await settledRows(database))?.settled);
    }
  } catch (error) {
    await database.close();
    throw error;
  }

  async function settleWaiting(least: number): Promise<void> {
    if (database.dialect !== 'sqlite') return;
    for (;;) {
      const old = tally;
      // What fails has spoilt it.
      const settled = await database
        .transaction((sql) => settle(sql, least, old))
        .catch((error: unknown) => {
          tally = new Tally();
          throw error;
        });
      if (settled === undefined) return;
      tally = new Tally(settled.seq);
      if (settled.left < least) return;
    }
  }

  return {
    write: async (batch) => {
      const refused = await write(database, batch, bodies, (rows) => tally.add(rows));
      await settleWaiting(settleRows);
      return refused;
    },
    find: (organisationId, id) => findEntry(database, organisationId, id, objects),
    list: (filter, page) => listEntries(database, filter, page, objects),
    aggregate: (query) => database.snapshot((sql) => aggregate(sql, query)),
    feedbackBy: (filter, by, stepMs) => feedbackGroups(database, filter, by, stepMs),
    updateFeedback: (scope, id, changes) => changeFeedback(database, scope, id, changes),
    prune: async (before) => {
      // What goes is counted before.
      await settleWaiting(1);
      return prune(database, before);
    },
    close: async () => {
      await database.close();
      await objects?.close();
    },
  };
}

/** What can be written is, whatever else stands in the batch. */
async function write(
  database: SqlDatabase,
  batch: PackedBatch,
  bodies: BodyFormat,
  written: (rows: readonly IndexedRow[]) => void,
): Promise<Refused> {
  try {
    const { rows, refused: count } = await database.transaction((sql) => writeBatch(sql, batch, bodies));
    written(rows);
    return count === 0 ? { count } : { count, reason: 'the id or the time of a log is out of bounds' };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const entries = entriesOf(batch);
    if (entries.length + batch.feedback.length > 1)
      return writeApart(database, entries, batch.feedback, bodies, written);
    return { count: 1, reason: (error as Error).message };
  }
}

async function writeApart(
  database: SqlDatabase,
  entries: readonly LogEntry[],
  feedback: readonly FeedbackRow[],
  bodies: BodyFormat,
  written: (rows: readonly IndexedRow[]) => void,
): Promise<Refused> {
  const singles = [...entries.map((entry) => packBatch([entry])), ...feedback.map((row) => packBatch([], [row]))];
  let last: Refused = { count: 0 };
  let count = 0;
  for (const single of singles) {
    const result = await write(database, single, bodies, written);
    count += result.count;
    if (result.count > 0) last = result;
  }
  return { ...last, count };
}
