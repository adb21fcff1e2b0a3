import { hourMs } from '../engine.ts';
import type { Stored, StoredRow } from '../rows.ts';
import { addToSketch } from '../sketch.ts';
import { addGroups } from './rollup-batch.ts';
import { emptyGroup, type RollupGroup } from './rollup-groups.ts';
import { dimensions, groupColumns, type Rollup, rollups, sumNames, sums } from './rollups.ts';
import type { QuerySql, Sql } from './sql.ts';
import type { Tally } from './tally.ts';

/** Rows that are settled in one transaction, at most. */
const mostRows = 20_000;

/** The last row whose counts are in the rollups, and the last row. Undefined: this database settles with each batch. */
export async function settledRows(sql: QuerySql): Promise<{ settled: number; last: number } | undefined> {
  if (sql.dialect !== 'sqlite') return undefined;
  const [row] = await sql.all('SELECT s.seq AS settled, (SELECT MAX(seq) FROM logs) AS last FROM log_settled s');
  return { settled: Number(row?.settled ?? 0), last: Number(row?.last ?? 0) };
}

export interface Settled {
  /** The last row that the rollups have now. */
  readonly seq: number;
  /** How many they have not. */
  readonly left: number;
}

/**
 * Brings rows of the embedded database into the rollups and into `log_metadata`, once there are so many of them: a group
 * of thousands of rows is written once, where it would be written again for nearly every row of a small batch. Up to
 * there the rows themselves are read. To be run in a transaction. Undefined: there was nothing to be done.
 * @param tally serves for nothing any more, whether the transaction fails or not
 */
export async function settle(sql: Sql, least: number, tally: Tally): Promise<Settled | undefined> {
  const found = await settledRows(sql);
  if (found === undefined || found.last - found.settled < least) return undefined;
  const { settled, last } = found;
  const known = await isWhole(sql, tally, settled);
  const to = known ? last : Math.min(last, settled + mostRows);
  const bounds = [settled, to];
  for (const [rollup, groups] of known ? tally.groups() : await groupsOf(sql, bounds))
    await addGroups(sql, rollup, groups);
  await sql.run(
    `INSERT INTO log_metadata (organisation_id, name, value, created_at, seq)
    SELECT l.organisation_id, m.key, m.value, l.created_at, l.seq FROM logs l NOT INDEXED, json_each(l.metadata) m
    WHERE l.seq > ? AND l.seq <= ? AND l.metadata <> '{}' ORDER BY 1, 2, 3, 4, 5`,
    bounds,
  );
  await sql.run('UPDATE log_settled SET seq = ?', [to]);
  return { seq: to, left: last - to };
}

/** Whether the rows that wait are those of the tally: no other process has written or settled any, none was there already. */
async function isWhole(sql: Sql, { after, count }: Tally, settled: number): Promise<boolean> {
  if (after !== settled) return false;
  const [row] = await sql.all('SELECT COUNT(*) AS count FROM logs l NOT INDEXED WHERE l.seq > ?', [settled]);
  return Number(row?.count) === count;
}

async function groupsOf(sql: Sql, bounds: readonly Stored[]): Promise<ReturnType<Tally['groups']>> {
  const read: (readonly [Rollup, readonly RollupGroup[]])[] = [];
  for (const rollup of Object.values<Rollup>(rollups)) read.push([rollup, await groupsBetween(sql, rollup, bounds)]);
  return read;
}

async function groupsBetween(sql: Sql, rollup: Rollup, bounds: readonly Stored[]): Promise<readonly RollupGroup[]> {
  const keys = [
    ...rollup.by.map((dimension) => {
      const { column, length } = dimensions[dimension];
      return length === undefined ? `l.${column} AS ${column}` : `COALESCE(l.${column}, '') AS ${column}`;
    }),
    ...(rollup.ofMetadata ? ['m.key AS name', 'm.value AS value'] : []),
  ];
  const columns = [
    'l.organisation_id AS organisation_id',
    `l.created_at - l.created_at % ${hourMs} AS slot`,
    ...keys,
    ...sumNames.map((name) => `${sums[name]} AS ${name}`),
    'MIN(l.created_at) AS first_seen',
    'MAX(l.created_at) AS last_seen',
    ...(rollup.latency ? ['GROUP_CONCAT(l.latency_bucket) AS buckets'] : []),
  ];
  const groupBy = Array.from({ length: 2 + keys.length }, (_, index) => index + 1).join(', ');
  const rows = await sql.all(
    `SELECT ${columns.join(', ')} FROM logs l NOT INDEXED${rollup.ofMetadata ? ', json_each(l.metadata) m' : ''}
    WHERE l.seq > ? AND l.seq <= ? GROUP BY ${groupBy}`,
    bounds,
  );
  return rows.map((row) => groupOf(rollup, row));
}

function groupOf(rollup: Rollup, row: StoredRow): RollupGroup {
  const of = groupColumns(rollup).map((column) => row[column] as Stored);
  const group = emptyGroup(String(row.organisation_id), Number(row.slot), of, Number(row.first_seen));
  group.lastSeen = Number(row.last_seen);
  for (const name of sumNames) group.sums[name] = Number(row[name] ?? 0);
  if (typeof row.buckets === 'string') {
    for (const bucket of row.buckets.split(',')) addToSketch(group.latency, Number(bucket), 1);
  }
  return group;
}
