import type { AggregateQuery } from 'portcullis/sdk';
import { dayMs, hourMs } from '../engine.ts';
import type { Group } from '../measures.ts';
import type { StoredRow } from '../rows.ts';
import { mergeEncoded } from '../sketch.ts';
import { allOf, type Condition } from './filter.ts';
import { addTo, type Groups, groupAt, groupBy, keysOf, latencyOf, selectedKeys, sumColumns } from './groups.ts';
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
  const rest = new Map<string, Group>();
  for await (const { keys, row, sign } of allAndNamed(sql, query, part, needed)) {
    addTo(groupAt(rest, keys), row, needed, sign);
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

/** Their durations. */
export async function addLatencyWithoutName(
  sql: QuerySql,
  query: AggregateQuery,
  part: Part,
  groups: Groups,
): Promise<void> {
  for await (const { keys, row, sign } of allAndNamed(sql, query, part, 'latency')) {
    const group = groups.get(JSON.stringify(keys));
    if (group !== undefined) mergeEncoded(latencyOf(group), row.latency as Uint8Array, sign);
  }
}

/** Where all requests are counted, and, to be taken off, where those are that have the name. */
function signed(named: Part): readonly (readonly [1 | -1, Part])[] {
  return [
    [1, { ...named, rollup: rollups.requests }],
    [-1, named],
  ];
}

interface SignedRow {
  /** Of the group without the name that the row is added to, or taken off. */
  readonly keys: Group['keys'];
  readonly row: StoredRow;
  readonly sign: 1 | -1;
}

/** The sums of both, or each sketch of their durations. Nothing where the query is not about those without a name. */
async function* allAndNamed(
  sql: QuerySql,
  query: AggregateQuery,
  part: Part,
  wanted: readonly Sum[] | 'latency',
): AsyncGenerator<SignedRow> {
  const { by, filter } = query;
  const place = placeOfName(query);
  if (place === undefined) return;
  const others = { ...query, by: by.toSpliced(place, 1) };
  for (const [sign, from] of signed(part)) {
    const keys = selectedKeys(sql, others, from);
    const source = sourceOf(sql.dialect, from, filter, by);
    const text =
      wanted === 'latency'
        ? `SELECT ${keys.sql}l.latency FROM ${source.sql}`
        : `SELECT ${keys.sql}${sumColumns(from, wanted)} FROM ${source.sql}${groupBy(keys.names)}`;
    for (const row of await sql.all(text, [...keys.values, ...source.values])) {
      yield { keys: keysOf(others, row).toSpliced(place, 0, null), row, sign };
    }
  }
}

/** Undefined as well where a filter names it, which finds none without it. */
function placeOfName({ by, filter }: AggregateQuery): number | undefined {
  const place = by.findIndex((dimension) => metadataName(dimension) !== undefined);
  return place < 0 || Object.keys(filter.metadata ?? {}).length > 0 ? undefined : place;
}

/** When the first and the last of them began: the hours or days are known by subtraction, the moments from the requests in them. */
async function momentsWithout(
  sql: QuerySql,
  query: AggregateQuery,
  part: Part,
): Promise<{ readonly first: number; readonly last: number }> {
  const slots = new Map<number, number>();
  for (const [sign, from] of signed(part)) {
    const source = sourceOf(sql.dialect, from, query.filter, query.by);
    const text = `SELECT l.slot AS slot, SUM(l.requests) AS requests FROM ${source.sql} GROUP BY l.slot`;
    for (const { slot, requests } of await sql.all(text, source.values)) {
      slots.set(Number(slot), (slots.get(Number(slot)) ?? 0) + sign * Number(requests));
    }
  }
  const without = [...slots].filter(([, requests]) => requests > 0).map(([slot]) => slot);
  const width = part.slots === 'days' ? dayMs : hourMs;
  const [earliest, latest] = [Math.min(...without), Math.max(...without)];
  return {
    first: (await momentIn(sql, query, earliest, width, 'MIN')) ?? earliest,
    // Where the requests themselves are gone already, the hour or day is all that is known.
    last: (await momentIn(sql, query, latest, width, 'MAX')) ?? latest,
  };
}

async function momentIn(
  sql: QuerySql,
  query: AggregateQuery,
  slot: number,
  width: number,
  which: 'MIN' | 'MAX',
): Promise<number | undefined> {
  const source = sourceOf(sql.dialect, { rollup: undefined, from: slot, to: slot + width }, query.filter, query.by);
  const keys = query.by.map((dimension): Condition => {
    const key = keyOf(sql.dialect, dimension, query.stepMs, { rollup: undefined });
    return { sql: `${key.sql} IS NULL`, values: key.values };
  });
  const where = allOf([source, ...keys]);
  const [row] = await sql.all(`SELECT ${which}(l.created_at) AS moment FROM ${where.sql}`, where.values);
  return typeof row?.moment === 'number' ? row.moment : undefined;
}
