import type { FeedbackRow, LogRow } from 'portcullis/sdk';
import type { BodyFormat } from '../engine.ts';
import { type PackedBatch, type PackedBlock, rowsOf } from '../packed-batch.ts';
import { clip, metadataPairs, type Stored } from '../rows.ts';
import { sketchBucket } from '../sketch.ts';
import { addBlock } from './blocks.ts';
import { addToRollups } from './rollup-batch.ts';
import { rowColumns, rowValues } from './row-columns.ts';
import { marks, pieces, type Sql } from './sql.ts';

const lookups = 500;
const columns = [...rowColumns.map(({ column }) => column), 'latency_bucket', 'body_format', 'block', 'item'];
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
const longestId = 64;
const longestMoment = 8.64e15;

/**
 * Writes what is not there yet; to be run in a transaction. SQLite settles rollups and metadata later, for many batches
 * at once; a server has other writers, and gets them with each. Gives how many requests have no id or time to go by.
 */
export async function writeBatch(sql: Sql, { blocks, feedback }: PackedBatch, format: BodyFormat): Promise<number> {
  const read = blocks.map((block) => ({ block, rows: rowsOf(block.rows) }));
  const sound = read.flatMap(({ rows }) => rows.filter(isIdentified));
  const settles = sql.dialect === 'sqlite';
  // Where nothing is counted yet, the unique index is enough.
  const fresh: ReadonlySet<LogRow> = new Set(settles ? sound : await unknownOf(sql, 'logs', sound));
  const inserted: Stored[][] = [];
  for (const { block, rows } of read) await addRows(sql, block, rows, fresh, format, inserted);
  await sql.insert('logs', columns, inserted, settles ? 'ON CONFLICT DO NOTHING' : '');
  if (!settles) {
    await addToRollups(sql, [...fresh]);
    await addMetadata(sql, [...fresh]);
  }
  await writeFeedback(sql, await unknownOf(sql, 'feedback', feedback));
  return read.reduce((sum, { rows }) => sum + rows.length, 0) - sound.length;
}

async function addRows(
  sql: Sql,
  block: PackedBlock,
  rows: readonly LogRow[],
  fresh: ReadonlySet<LogRow>,
  format: BodyFormat,
  inserted: Stored[][],
): Promise<void> {
  if (!rows.some((row) => fresh.has(row))) return;
  const seq = await addBlock(sql, block);
  for (const [item, row] of rows.entries()) {
    if (!fresh.has(row)) continue;
    inserted.push([...rowValues(row), sketchBucket(row.durationMs), block.bodied[item] ? format : null, seq, item]);
  }
}

/** The rows of `log_metadata` of requests that are there now. */
async function addMetadata(sql: Sql, rows: readonly LogRow[]): Promise<void> {
  const named = rows.filter(({ metadata }) => Object.keys(metadata).length > 0);
  for (const [organisationId, some] of Map.groupBy(named, (row) => row.organisationId)) {
    for (const piece of pieces(some, lookups)) {
      const found = await sql.all(
        `SELECT id, seq FROM logs WHERE organisation_id = ? AND id IN (${marks(piece.length)})`,
        [organisationId, ...piece.map(({ id }) => id)],
      );
      const seqs = new Map(found.map(({ id, seq }) => [String(id), Number(seq)]));
      await sql.insert(
        'log_metadata',
        ['organisation_id', 'name', 'value', 'created_at', 'seq'],
        piece.flatMap((row) =>
          metadataPairs(row).map(([name, value]) => [
            organisationId,
            name,
            value,
            Math.round(row.createdAt),
            seqs.get(row.id) ?? 0,
          ]),
        ),
      );
    }
  }
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
async function unknownOf<T extends Identified>(
  sql: Sql,
  table: 'logs' | 'feedback',
  items: readonly T[],
): Promise<readonly T[]> {
  const fresh = new Map(items.map((item) => [keyOf(item), item]));
  for (const [organisationId, some] of Map.groupBy(items, (item) => item.organisationId)) {
    for (const piece of pieces(some, lookups)) {
      const found = await sql.all(
        `SELECT id FROM ${table} WHERE organisation_id = ? AND id IN (${marks(piece.length)})`,
        [organisationId, ...piece.map(({ id }) => id)],
      );
      for (const { id } of found) fresh.delete(keyOf({ organisationId, id: String(id) }));
    }
  }
  return [...fresh.values()];
}

function keyOf({ organisationId, id }: Identified): string {
  return `${organisationId} ${id}`;
}

function isIdentified({ id, organisationId, createdAt }: LogRow): boolean {
  const timely = Number.isFinite(createdAt) && Math.abs(createdAt) <= longestMoment;
  return timely && id.length <= longestId && organisationId.length <= longestId;
}
