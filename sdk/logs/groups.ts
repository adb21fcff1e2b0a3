import type { Operation } from '../contracts/control.ts';
import type { AggregateRow, LogDimension, LogFilter, LogStore } from '../contracts/logs.ts';
import { GatewayError } from '../errors.ts';
import { field, several } from '../fields.ts';
import type { Json, JsonObject } from '../json.ts';
import { schema } from '../schema.ts';
import { type LogColumn, type LogColumnName, logColumns } from './columns.ts';

/** What requests are grouped by, and how the group is called in replies. */
export interface LogGrouping {
  readonly dimension: Exclude<LogDimension, 'bucket'>;
  readonly key: string;
}

const groupings: Readonly<Record<string, LogGrouping['dimension']>> = {
  ai_service: 'provider',
  model: 'model',
  status_code: 'status',
  api_key: 'keyId',
  config: 'configSlug',
  workspace: 'workspaceId',
  provider: 'providerSlug',
  prompt: 'promptSlug',
};

const optional = [
  'requests',
  'cost',
  'total_tokens',
  'avg_tokens',
  'avg_input_tokens',
  'avg_output_tokens',
  'avg_latency',
  'p95_latency',
  'p99_latency',
  'success_rate',
  'error_count',
  'cache_hit_rate',
  'last_seen',
  'first_seen',
] as const satisfies readonly LogColumnName[];

const text = (description: string) => schema.Optional(field.text({ max: 1024, description }));

/** Paging and order of grouped replies. */
export const logPageFields = {
  current_page: text('From 0.'),
  page_size: text('1 to 1000. Default 100.'),
  order_by: text('A column. Default: requests.'),
  order_by_type: text('asc or desc. Default: desc.'),
  include_total: schema.Optional(schema.Boolean({ description: 'false leaves the number of groups out.' })),
};

export const logColumnsField = {
  columns: schema.Optional(several(field.text({ max: 1024, description: `With commas: ${optional.join(', ')}.` }))),
};

export const logGroupsReply = schema.Object({
  object: field.oneOf(['list']),
  total: schema.Optional(field.integer(0)),
  data: schema.Array(field.object()),
});

/** `model` and the like, plural too. @throws GatewayError `bad_request` naming what is accepted */
export function groupingOf(name: string): LogGrouping {
  const key = Object.hasOwn(groupings, name) ? name : name.replace(/s$/, '');
  const dimension = Object.hasOwn(groupings, key) ? groupings[key] : undefined;
  if (dimension !== undefined) return { dimension, key };
  const accepted = Object.keys(groupings).join(', ');
  throw refusal('groupBy', `must be one of ${accepted}`);
}

/** The columns that a query asks for; the number of requests where it asks for none. @throws GatewayError `bad_request` */
export function columnsOf({ columns = '' }: Operation['query']): readonly LogColumnName[] {
  const asked = columns.split(',').map((part) => part.trim());
  const names = asked.filter((name) => name !== '');
  const known = optional.filter((name) => name === 'requests' || names.includes(name));
  const unknown = names.find((name) => !(optional as readonly string[]).includes(name));
  if (unknown === undefined) return known;
  throw refusal('columns', `has "${unknown.slice(0, 50)}"; accepted are ${optional.join(', ')}`);
}

/**
 * Requests by what the grouping says, as the list that analytics and logs share. The group of those that have no such
 * value has the key null.
 * @throws GatewayError `bad_request` naming the parameter
 */
export async function groupedLogs(
  operation: Operation,
  store: Pick<LogStore, 'aggregate'>,
  filter: LogFilter,
  { dimension, key }: LogGrouping,
  names: readonly LogColumnName[],
): Promise<JsonObject> {
  const { query } = operation;
  const columns = names.map((name): readonly [LogColumnName, LogColumn] => [name, logColumns[name]]);
  const size = integerOf(query.page_size, 'page_size', 1, 1000, 100);
  const page = integerOf(query.current_page, 'current_page', 0, 1_000_000, 0);
  const orderBy = orderOf(query);
  const measures = new Set([...columns.flatMap(([, { measures: needed }]) => needed), orderBy.measure]);
  const found = await store.aggregate({
    filter,
    by: [dimension],
    measures: [...measures],
    orderBy,
    limit: size,
    offset: page * size,
  });
  const shown = dimension === 'workspaceId' ? await workspaceSlugs(operation, found.rows) : undefined;
  const data = found.rows.map((row) => ({
    [key]: named(row.keys[0] ?? null, shown),
    ...Object.fromEntries(columns.map(([name, column]) => [name, cellOf(operation, column, row)])),
    object: 'analytics-group',
  }));
  return { object: 'list', ...(query.include_total === 'false' ? {} : { total: found.total }), data };
}

function cellOf(operation: Operation, { of, moment }: LogColumn, { values }: AggregateRow): Json {
  return moment === true ? operation.time(of(values)) : of(values);
}

function named(key: string | number | null, shown: ReadonlyMap<string, string> | undefined): string | number | null {
  return shown?.get(String(key)) ?? key;
}

async function workspaceSlugs(
  { records, scope }: Operation,
  rows: readonly AggregateRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rows.flatMap(({ keys: [id] }) => (typeof id === 'string' ? [id] : []));
  if (ids.length === 0) return new Map();
  const found = await records('workspaces').list({ organisationId: scope.organisationId }, { where: { id: ids } });
  return new Map(found.records.map(({ id, slug }) => [id, slug ?? id]));
}

/** What the store does not sum up cannot be ordered by: means and shares are worked out afterwards. */
function orderOf({ order_by: name = '', order_by_type: way = '' }: Operation['query']) {
  const orders: Readonly<Record<string, LogColumn>> = logColumns;
  const accepted = Object.keys(orders).filter((one) => orders[one]?.order !== undefined);
  const wanted = name === '' ? 'requests' : name;
  const measure = accepted.includes(wanted) ? orders[wanted]?.order : undefined;
  if (measure === undefined) throw refusal('order_by', `must be one of ${accepted.join(', ')}`);
  if (!/^(asc|desc)?$/i.test(way)) throw refusal('order_by_type', 'must be asc or desc');
  return { measure, descending: way.toLowerCase() !== 'asc' };
}

/** @throws GatewayError `bad_request` naming the parameter */
export function integerOf(
  written: string | undefined,
  param: string,
  least: number,
  most: number,
  standard: number,
): number {
  if (written === undefined || written === '') return standard;
  const number = /^\d{1,7}$/.test(written) ? Number(written) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw refusal(param, `must be an integer from ${least} to ${most}`);
}

function refusal(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
