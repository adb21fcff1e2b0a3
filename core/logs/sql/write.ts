import type { FeedbackRow, LogEntry, LogRow } from 'portcullis/sdk';
import { packBodies } from '../bodies-text.ts';
import { logColumns } from '../columns.ts';
import type { BodyFormat } from '../engine.ts';
import { clip, metadataPairs, type Stored, storedValues } from '../rows.ts';
import type { LogBatch } from '../sink.ts';
import { sketchBucket } from '../sketch.ts';
import { addToRollups } from './rollup-batch.ts';
import { marks, pieces, type Sql } from './sql.ts';

const lookups = 500;
const rowColumns = [...logColumns.map(({ column }) => column), 'latency_bucket', 'body_format'];
const feedbackColumns = [
  'id',
  'organisation_id',
  'workspace_id',
  'trace_id',
  'created_at',
  'value',
  'weight',
  'metadata',
  'given_by',
];

/** Writes what is not there yet, with its rollups; to be run in a transaction. */
export async function writeBatch(sql: Sql, { entries, feedback }: LogBatch, format: BodyFormat): Promise<void> {
  await writeEntries(sql, await unknownOf(sql, 'logs', entries, ({ row }) => row), format);
  await writeFeedback(sql, await unknownOf(sql, 'feedback', feedback, (row) => row));
}

async function writeEntries(sql: Sql, entries: readonly LogEntry[], format: BodyFormat): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ row, bodies }) => [
    ...storedValues(row),
    sketchBucket(row.durationMs),
    bodies === undefined ? null : format,
  ]);
  await sql.insert('logs', rowColumns, rows);
  if (format === 'row') await sql.insert('log_bodies', ['organisation_id', 'id', 'packed'], entries.flatMap(bodiesOf));
  await sql.insert(
    'log_metadata',
    ['organisation_id', 'name', 'value', 'created_at', 'id'],
    entries.flatMap(({ row }) => metadataKeys(row)),
  );
  await addToRollups(
    sql,
    entries.map(({ row }) => row),
  );
}

function bodiesOf({ row, bodies }: LogEntry): Stored[][] {
  return bodies === undefined ? [] : [[row.organisationId, row.id, packBodies(bodies)]];
}

/** The rows of `log_metadata` that belong to a request. */
export function metadataKeys(row: LogRow): Stored[][] {
  return metadataPairs(row).map(([name, value]) => [row.organisationId, name, value, row.createdAt, row.id]);
}

function writeFeedback(sql: Sql, rows: readonly FeedbackRow[]): Promise<void> {
  return sql.insert(
    'feedback',
    feedbackColumns,
    rows.map(({ id, organisationId, workspaceId, traceId, createdAt, value, weight, metadata, givenBy }) => [
      id,
      organisationId,
      workspaceId,
      clip(traceId, 128),
      createdAt,
      value,
      weight,
      JSON.stringify(metadata),
      givenBy === null ? null : clip(givenBy, 128),
    ]),
  );
}

interface Identified {
  readonly organisationId: string;
  readonly id: string;
}

/** Those that are not in the table, each once: a batch whose answer was lost comes again. */
async function unknownOf<T>(
  sql: Sql,
  table: 'logs' | 'feedback',
  items: readonly T[],
  of: (item: T) => Identified,
): Promise<readonly T[]> {
  const fresh = new Map(items.map((item) => [keyOf(of(item)), item]));
  for (const [organisationId, some] of Map.groupBy(items, (item) => of(item).organisationId)) {
    for (const piece of pieces(some, lookups)) {
      const found = await sql.all(
        `SELECT id FROM ${table} WHERE organisation_id = ? AND id IN (${marks(piece.length)})`,
        [organisationId, ...piece.map((item) => of(item).id)],
      );
      for (const { id } of found) fresh.delete(keyOf({ organisationId, id: String(id) }));
    }
  }
  return [...fresh.values()];
}

function keyOf({ organisationId, id }: Identified): string {
  return `${organisationId} ${id}`;
}
