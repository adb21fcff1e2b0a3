import type { AggregateQuery, LogDimension } from 'portcullis/sdk';
import type { Group } from '../measures.ts';
import type { StoredRow } from '../rows.ts';
import type { Condition } from './filter.ts';
import { keyOf, type Part } from './plan.ts';
import { type Sum, sums } from './rollups.ts';
import type { QuerySql } from './sql.ts';

/** The groups of a query, by the text of their keys. */
export type Groups = Map<string, Group>;

export function groupAt(groups: Groups, keys: Group['keys']): Group {
  const text = JSON.stringify(keys);
  const known = groups.get(text);
  if (known !== undefined) return known;
  const group: Group = {
    keys,
    sums: { requests: 0 },
    firstSeen: Number.POSITIVE_INFINITY,
    lastSeen: Number.NEGATIVE_INFINITY,
  };
  groups.set(text, group);
  return group;
}

export function latencyOf(group: Group): NonNullable<Group['latency']> {
  group.latency ??= new Map();
  return group.latency;
}

/** The keys `k0`, `k1` of a query in a part, to be selected and grouped by. */
export function selectedKeys(
  sql: QuerySql,
  { by, stepMs }: AggregateQuery,
  part: Part,
): Condition & { readonly names: string } {
  const keys = by.map((dimension) => keyOf(sql.dialect, dimension, stepMs, part));
  return {
    sql: keys.map((key, index) => `${key.sql} AS k${index}, `).join(''),
    values: keys.flatMap(({ values }) => values),
    names: by.flatMap((dimension, index) => (isOne(dimension, part) ? [] : [`k${index}`])).join(', '),
  };
}

/** There is nothing to group by in one bucket. */
function isOne(dimension: LogDimension, { bucket }: Part): boolean {
  return dimension === 'bucket' && bucket !== undefined;
}

export function keysOf({ by }: AggregateQuery, row: StoredRow): Group['keys'] {
  return by.map((_, index) => {
    const key = row[`k${index}`];
    return typeof key === 'number' || typeof key === 'string' ? key : null;
  });
}

export function sumColumns(part: Part, needed: readonly Sum[]): string {
  return needed
    .map((name) => {
      if (part.rollup === undefined) return `${sums[name]} AS ${name}`;
      return `SUM(l.${name} * 1e0) AS ${name}`;
    })
    .join(', ');
}

export function addTo({ sums: known }: Group, row: StoredRow, needed: readonly Sum[], sign: 1 | -1): void {
  for (const name of needed) known[name] = (known[name] ?? 0) + sign * Number(row[name] ?? 0);
}

export function groupBy(names: string): string {
  return names === '' ? '' : ` GROUP BY ${names}`;
}
