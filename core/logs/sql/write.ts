import type { FeedbackRow } from 'portcullis/sdk';
import type { BodyFormat } from '../engine.ts';
import { indexedRowsOf, type PackedBatch, type PackedBlock } from '../packed-batch.ts';
import type { IndexedRow } from '../row-line.ts';
import { clip, metadataPairs, type Stored } from '../rows.ts';
import type { Shared } from '../same-fields.ts';
import { sketchBucket } from '../sketch.ts';
import { addBlock } from './blocks.ts';
import { addToRollups } from './rollup-batch.ts';
import { rowValues, sharedValues, valueColumns } from './row-columns.ts';
import { marks, pieces, type Sql } from './sql.ts';

const lookups = 500;
const columns = [...valueColumns, 'latency_bucket', 'body_format', 'block', 'item'];
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

export interface Written {
  /** Those that are there now; in the embedded database they may have been there before. */
  readonly rows: readonly IndexedRow[];
  /** How many requests have no id or time to go by. */
  readonly refused: number;
}

/**
 * Writes what is not there yet; to be run in a transaction. SQLite settles rollups and metadata later, for many batches
 * at once; a server has other writers, and gets them with each.
 */
export async function writeBatch(sql: Sql, { blocks, feedback }: PackedBatch, format: BodyFormat): Promise<Written> {
  const read = blocks.map((block) => ({ block, rows: indexedRowsOf(block) }));
  const all = read.flatMap(({ rows }) => rows);
  const sound = all.every(isIdentified) ? all : all.filter(isIdentified);
  const settles = sql.dialect === 'sqlite';
  // Where nothing is counted yet, the unique index is enough.
  const rows = settles ? sound : await unknownOf(sql, 'logs', sound, organisationOf);
  const wanted = rows.length === all.length ? undefined : new Set(rows);
  const inserted: Stored[][] = [];
  for (const one of read) await addRows(sql, one.block, one.rows, wanted, format, inserted);
  await sql.insert('logs', columns, inserted, settles ? 'ON CONFLICT DO NOTHING' : '');
  if (!settles) {
    await addToRollups(sql, rows);
    await addMetadata(sql, rows);
  }
  await writeFeedback(sql, await unknownOf(sql, 'feedback', feedback, (row) => row.organisationId));
  return { rows, refused: all.length - sound.length };
}

/** @param wanted undefined: all of them */
async function addRows(
  sql: Sql,
  block: PackedBlock,
  rows: readonly IndexedRow[],
  wanted: ReadonlySet<IndexedRow> | undefined,
  format: BodyFormat,
  inserted: Stored[][],
): Promise<void> {
  if (wanted !== undefined && !rows.some((row) => wanted.has(row))) return;
  const seq = await addBlock(sql, block);
  const known = new Map<Shared, readonly Stored[]>();
  for (const [item, row] of rows.entries()) {
    if (wanted !== undefined && !wanted.has(row)) continue;
    const ofShared = known.get(row.shared) ?? sharedValues(row.shared);
    known.set(row.shared, ofShared);
    const values = rowValues(row, ofShared);
    values.push(sketchBucket(row.durationMs), block.bodied[item] ? format : null, seq, item);
    inserted.push(values);
  }
}

/** The rows of `log_metadata` of requests that are there now. */
async function addMetadata(sql: Sql, rows: readonly IndexedRow[]): Promise<void> {
  const named = rows.filter(({ metadata }) => Object.keys(metadata).length > 0);
  for (const [organisationId, some] of Map.groupBy(named, organisationOf)) {
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

/** Those that are not in the table, each once: a batch whose answer was lost comes again. */
async function unknownOf<T extends { readonly id: string }>(
  sql: Sql,
  table: 'logs' | 'feedback',
  items: readonly T[],
  organisationOf: (item: T) => string,
): Promise<readonly T[]> {
  const keyOf = (organisationId: string, id: string) => `${organisationId} ${id}`;
  const fresh = new Map(items.map((item) => [keyOf(organisationOf(item), item.id), item]));
  for (const [organisationId, some] of Map.groupBy(items, organisationOf)) {
    for (const piece of pieces(some, lookups)) {
      const found = await sql.all(
        `SELECT id FROM ${table} WHERE organisation_id = ? AND id IN (${marks(piece.length)})`,
        [organisationId, ...piece.map(({ id }) => id)],
      );
      for (const { id } of found) fresh.delete(keyOf(organisationId, String(id)));
    }
  }
  return [...fresh.values()];
}

function organisationOf({ shared }: IndexedRow): string {
  return shared.organisationId;
}

function isIdentified({ id, createdAt, shared: { organisationId } }: IndexedRow): boolean {
  const timely = Number.isFinite(createdAt) && Math.abs(createdAt) <= longestMoment;
  return timely && id.length <= longestId && organisationId.length <= longestId;
}
