import type { LogBodies, LogEntry, LogFilter } from 'portcullis/sdk';
import { logColumns } from '../columns.ts';
import type { Listed, ObjectReader, Page } from '../engine.ts';
import { rowOf, type StoredRow } from '../rows.ts';
import { allOf, type Condition, conditionsOf, listed, timeCondition } from '../sql/filter.ts';
import { pieces, type QuerySql } from '../sql/sql.ts';

const columns = [...logColumns.map(({ column }) => `l.${column} AS ${column}`), 'l.body_format AS body_format'].join(
  ', ',
);
const lookups = 500;
const objectsAtOnce = 16;
const kept: Condition = { sql: 'l.created_at >= (SELECT max(moment) FROM log_cut)', values: [] };

export async function findEntry(
  sql: QuerySql,
  organisationId: string,
  id: string,
  objects: ObjectReader | undefined,
): Promise<LogEntry | undefined> {
  const where = allOf([{ sql: 'l.organisation_id = ? AND l.id = ?', values: [organisationId, id] }, kept]);
  const rows = await sql.all(`SELECT ${columns} FROM logs l WHERE ${where.sql}`, where.values);
  const [entry] = await withBodies(sql, organisationId, rows, objects);
  return entry;
}

export async function listEntries(
  sql: QuerySql,
  filter: LogFilter,
  { limit, offset, bodies = false }: Page,
  objects: ObjectReader | undefined,
): Promise<Listed> {
  const where = allOf([...conditionsOf(filter, sql.dialect), timeCondition(filter.from, filter.to), kept]);
  const [counted] = await sql.all(`SELECT count() AS total FROM logs l WHERE ${where.sql}`, where.values);
  const rows = await sql.all(
    `SELECT ${columns} FROM logs l WHERE ${where.sql} ORDER BY l.created_at DESC, l.id DESC LIMIT ${Math.trunc(limit)} OFFSET ${Math.trunc(offset)}`,
    where.values,
  );
  const entries = bodies
    ? await withBodies(sql, filter.organisationId, rows, objects)
    : rows.map((row) => ({ row: rowOf(row), bodies: undefined }));
  return { total: Number(counted?.total), entries };
}

async function withBodies(
  sql: QuerySql,
  organisationId: string,
  stored: readonly StoredRow[],
  objects: ObjectReader | undefined,
): Promise<readonly LogEntry[]> {
  const texts = new Map<unknown, string>();
  const beside = stored.filter(({ body_format: format }) => format === 'row').map(({ id }) => String(id));
  for (const ids of pieces(beside, lookups)) {
    const where = allOf([{ sql: 'organisation_id = ?', values: [organisationId] }, ...listed('id', ids)]);
    const found = await sql.all(`SELECT id, bodies FROM log_bodies WHERE ${where.sql}`, where.values);
    for (const { id, bodies } of found) texts.set(id, String(bodies));
  }
  const entries: LogEntry[] = [];
  for (const some of pieces(stored, objectsAtOnce)) {
    const read = some.map(async (one): Promise<LogEntry> => {
      const row = rowOf(one);
      const text = texts.get(one.id);
      if (text !== undefined) return { row, bodies: JSON.parse(text) as LogBodies };
      const { body_format: format } = one;
      return { row, bodies: format === 'v1' || format === 'v2' ? await objects?.get(row, format) : undefined };
    });
    entries.push(...(await Promise.all(read)));
  }
  return entries;
}
