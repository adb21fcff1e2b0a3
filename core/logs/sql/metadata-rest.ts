import type { AggregateQuery } from 'portcullis/sdk';
import { hourMs } from '../engine.ts';
import type { Group } from '../measures.ts';
import { allOf, type Condition } from './filter.ts';
import { addTo, type Groups, groupAt, groupBy, keysOf, selectedKeys, sumColumns } from './groups.ts';
import { keyOf, metadataName, type Part, sourceOf } from './plan.ts';
import { rollups, type Sum } from './rollups.ts';
import type { QuerySql } from './sql.ts';

/**
 * The requests that have no value under the name that is grouped by. No rollup has them, for a name is only known once it
 * is used: they are all requests less those that have one.
 */
export async function addWithoutName(
  sql: QuerySql,
  query: AggregateQuery,
  part: Part,
  needed: readonly Sum[],
  seen: boolean,
  groups: Groups,
): Promise<void> {
  const { by, filter } = query;
  const place = by.findIndex((dimension) => metadataName(dimension) !== undefined);
  // A filter that names it finds none without it.
  if (place < 0 || Object.keys(filter.metadata ?? {}).length > 0) return;
  const others = { ...query, by: by.filter((_, index) => index !== place) };
  const rest = new Map<string, Group>();
  for (const [sign, from] of [
    [1, { ...part, rollup: rollups.requests }],
    [-1, part],
  ] as const) {
    const keys = selectedKeys(sql, others, from);
    const source = sourceOf(sql.dialect, from, filter, by);
    const text = `SELECT ${keys.sql}${sumColumns(from, needed)} FROM ${source.sql}${groupBy(keys.names)}`;
    for (const row of await sql.all(text, [...keys.values, ...source.values])) {
      addTo(groupAt(rest, keysOf(others, row).toSpliced(place, 0, null)), row, needed, sign);
    }
  }
  for (const { keys, sums } of rest.values()) {
    if ((sums.requests ?? 0) <= 0) continue;
    const group = groupAt(groups, keys);
    addTo(group, sums, needed, 1);
    if (!seen) continue;
    const { first, last } = await momentsWithout(sql, query, part);
    group.firstSeen = Math.min(group.firstSeen, first);
    group.lastSeen = Math.max(group.lastSeen, last);
  }
}

/** When the first and the last of them began: the hours are known by subtraction, the moments from the requests in them. */
async function momentsWithout(
  sql: QuerySql,
  query: AggregateQuery,
  part: Part,
): Promise<{ readonly first: number; readonly last: number }> {
  const hours = new Map<number, number>();
  for (const [sign, rollup] of [
    [1, rollups.requests],
    [-1, rollups.metadata],
  ] as const) {
    const source = sourceOf(sql.dialect, { ...part, rollup }, query.filter, query.by);
    const text = `SELECT l.hour AS hour, SUM(l.requests) AS requests FROM ${source.sql} GROUP BY l.hour`;
    for (const { hour, requests } of await sql.all(text, source.values)) {
      hours.set(Number(hour), (hours.get(Number(hour)) ?? 0) + sign * Number(requests));
    }
  }
  const without = [...hours].filter(([, requests]) => requests > 0).map(([hour]) => hour);
  const [earliest, latest] = [Math.min(...without), Math.max(...without)];
  return {
    first: (await momentIn(sql, query, earliest, 'MIN')) ?? earliest,
    // Where the requests themselves are gone already, the hour is all that is known.
    last: (await momentIn(sql, query, latest, 'MAX')) ?? latest,
  };
}

async function momentIn(
  sql: QuerySql,
  query: AggregateQuery,
  hour: number,
  which: 'MIN' | 'MAX',
): Promise<number | undefined> {
  const source = sourceOf(sql.dialect, { rollup: undefined, from: hour, to: hour + hourMs }, query.filter, query.by);
  const keys = query.by.map((dimension): Condition => {
    const key = keyOf(sql.dialect, dimension, query.stepMs, undefined);
    return { sql: `${key.sql} IS NULL`, values: key.values };
  });
  const where = allOf([source, ...keys]);
  const [row] = await sql.all(`SELECT ${which}(l.created_at) AS moment FROM ${where.sql}`, where.values);
  return typeof row?.moment === 'number' ? row.moment : undefined;
}
