import type { AggregateQuery } from 'portcullis/sdk';
import { sameTrace } from './filter.ts';
import { type Groups, groupAt, groupBy, keysOf, selectedKeys } from './groups.ts';
import { type Part, sourceOf } from './plan.ts';
import type { QuerySql } from './sql.ts';

/** Keeps the few traces that have feedback in front: the other way round, every request would be looked at. */
const joined = { sqlite: 'CROSS JOIN', mysql: 'STRAIGHT_JOIN', clickhouse: 'INNER JOIN' } as const;

/** Feedback by the groups of the requests of its trace; each one counts once in a group. */
export async function addFeedback(sql: QuerySql, query: AggregateQuery, groups: Groups): Promise<void> {
  const { keys, source, values } = wholeOf(sql, query);
  const found = `SELECT DISTINCT ${keys.sql}f.id AS id, f.value AS value, f.weight AS weight FROM feedback f ${source}`;
  const names = keys.names === '' ? '' : `${keys.names}, `;
  const text = `SELECT ${names}COUNT(*) AS given, SUM(value * weight) AS weighted, SUM(weight) AS weight FROM (${found}) d${groupBy(keys.names)}`;
  for (const row of await sql.all(text, values)) {
    groupAt(groups, keysOf(query, row)).feedback = {
      count: Number(row.given),
      weighted: Number(row.weighted ?? 0),
      weight: Number(row.weight ?? 0),
    };
  }
}

export async function addRequestsWithFeedback(sql: QuerySql, query: AggregateQuery, groups: Groups): Promise<void> {
  const { keys, source, values } = wholeOf(sql, query);
  const traces = '(SELECT DISTINCT organisation_id, workspace_id, trace_id FROM feedback WHERE organisation_id = ?) f';
  const text = `SELECT ${keys.sql}COUNT(*) AS requests FROM ${traces} ${source}${groupBy(keys.names)}`;
  for (const row of await sql.all(text, values.toSpliced(keys.values.length, 0, query.filter.organisationId))) {
    groupAt(groups, keysOf(query, row)).requestsWithFeedback = Number(row.requests);
  }
}

function wholeOf(sql: QuerySql, query: AggregateQuery) {
  const { from, to } = query.filter;
  const part: Part = { rollup: undefined, from, to };
  const keys = selectedKeys(sql, query, part);
  const { sql: text, values } = sourceOf(sql.dialect, part, query.filter, query.by);
  const on = `ON ${sameTrace} AND f.organisation_id = ?`;
  return {
    keys,
    source: `${joined[sql.dialect]} ${text.replace(' WHERE ', ` ${on} WHERE `)}`,
    values: [...keys.values, query.filter.organisationId, ...values],
  };
}
