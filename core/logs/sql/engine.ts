import type { LogEntry } from 'portcullis/sdk';
import { isUnavailable } from '../../store/failures.ts';
import type { EngineOptions, LogEngine } from '../engine.ts';
import type { LogBatch, Refused } from '../sink.ts';
import { aggregate } from './aggregate.ts';
import { changeFeedback, feedbackGroups } from './feedback.ts';
import { prune } from './prune.ts';
import { findEntry, listEntries } from './read.ts';
import { prepareSchema } from './schema.ts';
import type { SqlDatabase } from './sql.ts';
import { writeBatch } from './write.ts';

const longestId = 64;
const longestMoment = 8.64e15;

/** Logs in the tables of a SQL database. Who only reads expects the tables to be there. */
export async function sqlEngine(
  database: SqlDatabase,
  { bodies, objects }: EngineOptions,
  readOnly: boolean,
): Promise<LogEngine> {
  try {
    if (!readOnly) await prepareSchema(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    write: (batch) => write(database, batch, bodies),
    find: (organisationId, id) => findEntry(database, organisationId, id, objects),
    list: (filter, page) => listEntries(database, filter, page, objects),
    aggregate: (query) => aggregate(database, query),
    feedbackBy: (filter, by, stepMs) => feedbackGroups(database, filter, by, stepMs),
    updateFeedback: (scope, id, changes) => changeFeedback(database, scope, id, changes),
    prune: (before) => prune(database, before),
    close: async () => {
      await database.close();
      await objects?.close();
    },
  };
}

/** What can be written is, whatever else stands in the batch. */
async function write(database: SqlDatabase, batch: LogBatch, bodies: EngineOptions['bodies']): Promise<Refused> {
  const entries = batch.entries.filter(isIdentified);
  const refused = batch.entries.length - entries.length;
  const whole = { entries, feedback: batch.feedback };
  try {
    await database.transaction((sql) => writeBatch(sql, whole, bodies));
    return refused === 0 ? { count: 0 } : { count: refused, reason: 'the id or the time of a log is out of bounds' };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const one = entries.length + batch.feedback.length === 1;
    if (one) return { count: refused + 1, reason: (error as Error).message };
  }
  return writeApart(database, whole, bodies, refused);
}

async function writeApart(
  database: SqlDatabase,
  { entries, feedback }: LogBatch,
  bodies: EngineOptions['bodies'],
  refused: number,
): Promise<Refused> {
  const singles: readonly LogBatch[] = [
    ...entries.map((entry) => ({ entries: [entry], feedback: [] })),
    ...feedback.map((row) => ({ entries: [], feedback: [row] })),
  ];
  let last: Refused = { count: 0 };
  let count = refused;
  for (const single of singles) {
    const result = await write(database, single, bodies);
    count += result.count;
    if (result.count > 0) last = result;
  }
  return { ...last, count };
}

function isIdentified({ row: { id, organisationId, createdAt } }: LogEntry): boolean {
  const timely = Number.isFinite(createdAt) && Math.abs(createdAt) <= longestMoment;
  return timely && id.length <= longestId && organisationId.length <= longestId;
}
