import type { LogFilter, Range } from 'portcullis/sdk';
import { metadataNameLength, metadataValueLength } from '../columns.ts';
import { clip, type Stored } from '../rows.ts';
import { type Dialect, marks } from './sql.ts';

/** A condition, with the values of its marks in their order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly Stored[];
}

/** Which feedback `f` is on which requests `l`. Callers choose how traces are named: the same name may stand in two workspaces. */
export const sameTrace =
  'l.organisation_id = f.organisation_id AND l.workspace_id = f.workspace_id AND l.trace_id = f.trace_id';

export const nothing: Condition = { sql: '1 = 0', values: [] };

/** Lists of a filter with the column that each one is about; rollups have the same columns. */
const lists = {
  workspaceIds: 'workspace_id',
  status: 'status',
  providerSlugs: 'provider_slug',
  configSlugs: 'config_slug',
  promptSlugs: 'prompt_slug',
  keyIds: 'key_id',
  users: 'end_user',
  traceIds: 'trace_id',
  spanIds: 'span_id',
  endpoints: 'endpoint',
} as const;
type ListName = keyof typeof lists;

const ranges = {
  totalTokens: 'total_tokens',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  costNanoUsd: 'cost_nano_usd',
} as const;
type RangeName = keyof typeof ranges;

/** What must hold of the requests `l`, but for their time. */
export function conditionsOf(filter: LogFilter, dialect: Dialect): readonly Condition[] {
  return [
    { sql: 'l.organisation_id = ?', values: [filter.organisationId] },
    ...(Object.keys(lists) as ListName[]).flatMap((name) => listed(`l.${lists[name]}`, filter[name])),
    ...modelCondition(filter.models),
    ...(Object.keys(ranges) as RangeName[]).flatMap((name) => within(`l.${ranges[name]}`, filter[name])),
    ...metadataConditions(filter, dialect),
    ...feedbackCondition(filter),
  ];
}

/** The requests begun in a stretch. */
export function timeCondition(from: number, to: number, column = 'l.created_at'): Condition {
  return { sql: `${column} >= ? AND ${column} < ?`, values: [from, to] };
}

export function allOf(conditions: readonly Condition[]): Condition {
  return { sql: conditions.map(({ sql }) => sql).join(' AND '), values: conditions.flatMap(({ values }) => values) };
}

export function listed(column: string, values: readonly Stored[] | undefined): readonly Condition[] {
  if (values === undefined) return [];
  return [values.length === 0 ? nothing : { sql: `${column} IN (${marks(values.length)})`, values }];
}

function within(column: string, range: Range | undefined): readonly Condition[] {
  if (range === undefined) return [];
  const { min, max } = range;
  return [
    ...(min === undefined ? [] : [{ sql: `${column} >= ?`, values: [min] }]),
    ...(max === undefined ? [] : [{ sql: `${column} <= ?`, values: [max] }]),
  ];
}

/** Whether one of the models is meant: a provider, a model, or both. */
export function modelCondition(models: LogFilter['models']): readonly Condition[] {
  if (models === undefined) return [];
  if (models.length === 0) return [nothing];
  const choices = models.map(({ provider, model }) =>
    allOf([
      ...(provider === undefined ? [] : [{ sql: 'l.provider = ?', values: [provider] }]),
      ...(model === undefined ? [] : [{ sql: 'l.model = ?', values: [model] }]),
      ...(provider === undefined && model === undefined ? [{ sql: '1 = 1', values: [] }] : []),
    ]),
  );
  return [
    { sql: `(${choices.map(({ sql }) => `(${sql})`).join(' OR ')})`, values: choices.flatMap(({ values }) => values) },
  ];
}

function metadataConditions(
  { organisationId, from, to, metadata = {} }: LogFilter,
  dialect: Dialect,
): readonly Condition[] {
  return Object.entries(metadata).map(([name, values]) => {
    if (values.length === 0) return nothing;
    const clipped = values.map((value) => clip(value, metadataValueLength));
    if (dialect === 'clickhouse') {
      return {
        sql: `mapContains(l.metadata, ?) AND l.metadata[?] IN (${marks(values.length)})`,
        values: [clip(name, metadataNameLength), clip(name, metadataNameLength), ...clipped],
      };
    }
    const known = `SELECT m.seq FROM log_metadata m WHERE m.organisation_id = ? AND m.name = ? AND m.value IN (${marks(values.length)}) AND m.created_at >= ? AND m.created_at < ?`;
    const looked = [organisationId, clip(name, metadataNameLength), ...clipped, from, to];
    if (dialect === 'mysql') return { sql: `l.seq IN (${known})`, values: looked };
    // Those that are not settled yet tell it themselves.
    const late = `SELECT t.seq FROM logs t NOT INDEXED WHERE t.seq > (SELECT seq FROM log_settled) AND json_extract(t.metadata, ?) IN (${marks(values.length)})`;
    return {
      sql: `l.seq IN (${known} UNION ALL ${late})`,
      values: [...looked, `$.${JSON.stringify(clip(name, metadataNameLength))}`, ...clipped],
    };
  });
}

function feedbackCondition({ organisationId, weightedFeedback: range }: LogFilter): readonly Condition[] {
  if (range === undefined) return [];
  const mean = 'SUM(f.value * f.weight) / NULLIF(SUM(f.weight), 0)';
  const bounds = [...within(mean, range), { sql: `${mean} IS NOT NULL`, values: [] }];
  const having = allOf(bounds);
  return [
    {
      sql: `(l.workspace_id, l.trace_id) IN (SELECT f.workspace_id, f.trace_id FROM feedback f WHERE f.organisation_id = ? GROUP BY f.workspace_id, f.trace_id HAVING ${having.sql})`,
      values: [organisationId, ...having.values],
    },
  ];
}
