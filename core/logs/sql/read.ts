import type { LogBodies, LogEntry, LogFilter, LogRow } from 'portcullis/sdk';
import { unpackBodies } from '../bodies-text.ts';
import { logColumns } from '../columns.ts';
import type { Listed, ObjectReader, Page } from '../engine.ts';
import { rowOf, type StoredRow } from '../rows.ts';
import { allOf, conditionsOf, timeCondition } from './filter.ts';
import { marks, pieces, type Sql } from './sql.ts';

const columns = [...logColumns.map(({ column }) => `l.${column}`), 'l.body_format'].join(', ');
const lookups = 500;
const objectsAtOnce = 16;

export async function findEntry(
  sql: Sql,
  organisationId: string,
  id: string,
  objects: ObjectReader | undefined,
): Promise<LogEntry | undefined> {
  const rows = await sql.all(`SELECT ${columns} FROM logs l WHERE l.organisation_id = ? AND l.id = ?`, [
    organisationId,
    id,
  ]);
  const [entry] = await withBodies(sql, organisationId, rows, objects);
  return entry;
}

/** The newest first; the page is found in an index before its rows are read. */
export async function listEntries(
  sql: Sql,
  filter: LogFilter,
  { limit, offset, bodies = false }: Page,
  objects: ObjectReader | undefined,
): Promise<Listed> {
  const where = allOf([...conditionsOf(filter, sql.dialect), timeCondition(filter.from, filter.to)]);
  const [counted] = await sql.all(`SELECT COUNT(*) AS total FROM logs l WHERE ${where.sql}`, where.values);
  const page = `SELECT l.seq FROM logs l WHERE ${where.sql} ORDER BY l.created_at DESC, l.seq DESC LIMIT ? OFFSET ?`;
  const rows = await sql.all(
    `SELECT ${columns} FROM (${page}) p JOIN logs l ON l.seq = p.seq ORDER BY l.created_at DESC, l.seq DESC`,
    [...where.values, limit, offset],
  );
  const entries = bodies
    ? await withBodies(sql, filter.organisationId, rows, objects)
    : rows.map((row) => ({ row: rowOf(row), bodies: undefined }));
  return { total: Number(counted?.total), entries };
}

async function withBodies(
  sql: Sql,
  organisationId: string,
  stored: readonly StoredRow[],
  objects: ObjectReader | undefined,
): Promise<readonly LogEntry[]> {
  const packed = new Map<unknown, Uint8Array>();
  const beside = stored.filter(({ body_format: format }) => format === 'row').map(({ id }) => String(id));
  for (const ids of pieces(beside, lookups)) {
    const found = await sql.all(
      `SELECT id, packed FROM log_bodies WHERE organisation_id = ? AND id IN (${marks(ids.length)})`,
      [organisationId, ...ids],
    );
    for (const row of found) packed.set(row.id, row.packed as Uint8Array);
  }
  const entries: LogEntry[] = [];
  for (const some of pieces(stored, objectsAtOnce)) {
    const read = some.map(async (row) => {
      const own = rowOf(row);
      const bytes = packed.get(row.id);
      return { row: own, bodies: bytes === undefined ? await objectOf(own, row, objects) : unpackBodies(bytes) };
    });
    entries.push(...(await Promise.all(read)));
  }
  return entries;
}

/** Absent as well where the object was lost, or is of a store that is no longer set up. */
async function objectOf(
  row: LogRow,
  stored: StoredRow,
  objects: ObjectReader | undefined,
): Promise<LogBodies | undefined> {
  const format = stored.body_format;
  return format === 'v1' || format === 'v2' ? objects?.get(row, format) : undefined;
}
