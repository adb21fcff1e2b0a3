import type { AggregateQuery } from 'portcullis/sdk';
import type { Aggregated } from '../engine.ts';
import { answerOf, quantiles, sumsOf } from '../measures.ts';
import type { Stored } from '../rows.ts';
import { addToSketch, logGamma, mergeEncoded, shortestMs } from '../sketch.ts';
import { addFeedback, addRequestsWithFeedback } from './aggregate-feedback.ts';
import { addUserRequests, addUsers } from './aggregate-users.ts';
import { addTo, type Groups, groupAt, groupBy, keysOf, latencyOf, selectedKeys, sumColumns } from './groups.ts';
import { addLatencyWithoutName, addWithoutName } from './metadata-rest.ts';
import { among, bucketsOf, checkQuery, type Part, partsOf, sourceOf, sourcesOf } from './plan.ts';
import type { Sum } from './rollups.ts';
import type { QuerySql } from './sql.ts';

/** Groups and sums, from rollups where they have all that is asked. */
export async function aggregate(sql: QuerySql, query: AggregateQuery): Promise<Aggregated> {
  checkQuery(query);
  const groups: Groups = new Map();
  const { measures, orderBy } = query;
  const asked = new Set([...measures, ...(orderBy === undefined ? [] : [orderBy.measure])]);
  if (query.by.length === 0) groupAt(groups, []);
  const needed: readonly Sum[] = [
    ...new Set<Sum>(['requests', ...[...asked].flatMap((measure) => sumsOf[measure] ?? [])]),
  ];
  const seen = asked.has('firstSeen') || asked.has('lastSeen');
  const full = { ...query, measures: [...asked] };
  const sources = await sourcesOf(sql);
  const pieces = partsOf(full, sources).flatMap((part) => bucketsOf(sql.dialect, full, part));
  for (const part of pieces) {
    await addSums(sql, full, part, needed, groups);
    if (part.rollup?.ofMetadata) await addWithoutName(sql, full, part, needed, seen, groups);
  }
  if (quantiles.some((measure) => asked.has(measure))) {
    for (const part of partsOf(
      full,
      among(sources, ({ latency }) => latency),
    )) {
      await addLatency(sql, full, part, groups);
      if (part.rollup?.ofMetadata) await addLatencyWithoutName(sql, full, part, groups);
    }
  }
  if (asked.has('users')) await addUsers(sql, full, sources, groups);
  if (asked.has('userRequests')) await addUserRequests(sql, full, sources, groups);
  if (asked.has('feedbacks') || asked.has('weightedFeedback')) await addFeedback(sql, full, groups);
  if (asked.has('requestsWithFeedback')) await addRequestsWithFeedback(sql, full, groups);
  return answerOf(query, [...groups.values()]);
}

async function addSums(
  sql: QuerySql,
  query: AggregateQuery,
  part: Part,
  needed: readonly Sum[],
  groups: Groups,
): Promise<void> {
  const keys = selectedKeys(sql, query, part);
  const source = sourceOf(sql.dialect, part, query.filter, query.by);
  const [first, last] = part.rollup === undefined ? ['created_at', 'created_at'] : ['first_seen', 'last_seen'];
  const text = `SELECT ${keys.sql}${sumColumns(part, needed)}, MIN(l.${first}) AS first_seen, MAX(l.${last}) AS last_seen FROM ${source.sql}${groupBy(keys.names)}`;
  for (const row of await sql.all(text, [...keys.values, ...source.values])) {
    if (Number(row.requests ?? 0) === 0) continue;
    const group = groupAt(groups, keysOf(query, row));
    addTo(group, row, needed, 1);
    group.firstSeen = Math.min(group.firstSeen, Number(row.first_seen));
    group.lastSeen = Math.max(group.lastSeen, Number(row.last_seen));
  }
}

/** The bucket of a duration, as `sketchBucket` says; ClickHouse works it out faster than it reads a column more. */
const latencyBucket = {
  sqlite: 'l.latency_bucket',
  mysql: 'l.latency_bucket',
  clickhouse: `toInt32(ceil(log(least(greatest(l.duration_ms, ${shortestMs}), 1e11)) / ${logGamma}))`,
} as const;

async function addLatency(sql: QuerySql, query: AggregateQuery, part: Part, groups: Groups): Promise<void> {
  const keys = selectedKeys(sql, query, part);
  const source = sourceOf(sql.dialect, part, query.filter, query.by);
  const values: readonly Stored[] = [...keys.values, ...source.values];
  if (part.rollup !== undefined) {
    for (const row of await sql.all(`SELECT ${keys.sql}l.latency FROM ${source.sql}`, values)) {
      mergeEncoded(latencyOf(groupAt(groups, keysOf(query, row))), row.latency as Uint8Array);
    }
    return;
  }
  const names = keys.names === '' ? 'latency_bucket' : `${keys.names}, latency_bucket`;
  const text = `SELECT ${keys.sql}${latencyBucket[sql.dialect]} AS latency_bucket, COUNT(*) AS requests FROM ${source.sql} GROUP BY ${names}`;
  for (const row of await sql.all(text, values)) {
    const sketch = latencyOf(groupAt(groups, keysOf(query, row)));
    addToSketch(sketch, Number(row.latency_bucket), Number(row.requests));
  }
}
