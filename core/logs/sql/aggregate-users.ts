import type { AggregateQuery } from 'portcullis/sdk';
import { type Groups, groupAt, groupBy, keysOf, selectedKeys, sumColumns } from './groups.ts';
import { among, type Part, partsOf, type Sources, sourceOf } from './plan.ts';
import { rollups } from './rollups.ts';
import type { QuerySql } from './sql.ts';

const person = "NULLIF(l.end_user, '')";

/** Distinct people are no sum: hours of the rollup and requests of broken hours are put together before they are counted. */
export async function addUsers(sql: QuerySql, query: AggregateQuery, sources: Sources, groups: Groups): Promise<void> {
  const selects = peopled(query, sources).map((part) => {
    const keys = selectedKeys(sql, query, part);
    const source = sourceOf(sql.dialect, part, query.filter, query.by);
    return {
      sql: `SELECT DISTINCT ${keys.sql}${person} AS person FROM ${source.sql}`,
      values: [...keys.values, ...source.values],
    };
  });
  const names = query.by.map((_, index) => `k${index}`).join(', ');
  const text = `SELECT ${names === '' ? '' : `${names}, `}COUNT(DISTINCT person) AS users FROM (${selects
    .map((select) => select.sql)
    .join(' UNION ')}) d WHERE person IS NOT NULL${groupBy(names)}`;
  for (const row of await sql.all(
    text,
    selects.flatMap(({ values }) => values),
  )) {
    groupAt(groups, keysOf(query, row)).users = Number(row.users);
  }
}

/** Requests without a user are left out here, so that the mean of a user goes by what users sent. */
export async function addUserRequests(
  sql: QuerySql,
  query: AggregateQuery,
  sources: Sources,
  groups: Groups,
): Promise<void> {
  for (const part of peopled(query, sources)) {
    const keys = selectedKeys(sql, query, part);
    const source = sourceOf(sql.dialect, part, query.filter, query.by);
    const text = `SELECT ${keys.sql}${sumColumns(part, ['requests'])} FROM ${source.sql} AND ${person} IS NOT NULL${groupBy(keys.names)}`;
    for (const row of await sql.all(text, [...keys.values, ...source.values])) {
      const count = Number(row.requests ?? 0);
      if (count === 0) continue;
      const group = groupAt(groups, keysOf(query, row));
      group.userRequests = (group.userRequests ?? 0) + count;
    }
  }
}

/** Of the rollups, the one alone that knows who sent a request. */
function peopled(query: AggregateQuery, sources: Sources): readonly Part[] {
  return partsOf(
    query,
    among(sources, (rollup) => rollup === rollups.users),
  );
}
