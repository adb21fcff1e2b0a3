import type { LogEntry, LogFilter } from 'portcullis/sdk';
import type { Listed, ObjectReader, Page } from '../engine.ts';
import type { StoredRow } from '../rows.ts';
import { type Place, readPlaces } from './blocks.ts';
import { allOf, conditionsOf, timeCondition } from './filter.ts';
import { pieces, type Sql } from './sql.ts';

const objectsAtOnce = 16;

export async function findEntry(
  sql: Sql,
  organisationId: string,
  id: string,
  objects: ObjectReader | undefined,
): Promise<LogEntry | undefined> {
  const found = await sql.all(
    'SELECT l.block, l.item, l.body_format FROM logs l WHERE l.organisation_id = ? AND l.id = ?',
    [organisationId, id],
  );
  const [entry] = await withObjects(await readPlaces(sql, found.map(placeOf), true), found, objects);
  return entry;
}

/** The newest first; the page is found in an index before its blocks are read. */
export async function listEntries(
  sql: Sql,
  filter: LogFilter,
  { limit, offset, bodies = false }: Page,
  objects: ObjectReader | undefined,
): Promise<Listed> {
  const where = allOf([...conditionsOf(filter, sql.dialect), timeCondition(filter.from, filter.to)]);
  const [counted] = await sql.all(`SELECT COUNT(*) AS total FROM logs l WHERE ${where.sql}`, where.values);
  const found = await sql.all(
    `SELECT l.block, l.item, l.body_format FROM logs l WHERE ${where.sql} ORDER BY l.created_at DESC, l.seq DESC LIMIT ? OFFSET ?`,
    [...where.values, limit, offset],
  );
  const entries = await readPlaces(sql, found.map(placeOf), bodies);
  return {
    total: Number(counted?.total),
    entries: bodies ? await withObjects(entries, found, objects) : entries,
  };
}

function placeOf({ block, item }: StoredRow): Place {
  return { block: Number(block), item: Number(item) };
}

/** Bodies are absent as well where the object was lost, or is of a store that is no longer set up. */
async function withObjects(
  entries: readonly LogEntry[],
  found: readonly StoredRow[],
  objects: ObjectReader | undefined,
): Promise<readonly LogEntry[]> {
  if (objects === undefined) return entries;
  const whole = [...entries];
  for (const some of pieces([...entries.keys()], objectsAtOnce)) {
    const read = some.map(async (index) => {
      const format = found[index]?.body_format;
      const entry = entries[index] as LogEntry;
      if (format === 'v1' || format === 'v2') {
        whole[index] = { row: entry.row, bodies: await objects.get(entry.row, format) };
      }
    });
    await Promise.all(read);
  }
  return whole;
}
