import type { AggregateQuery, LogDimension, LogFilter, LogMeasure } from 'portcullis/sdk';
import { GatewayError } from 'portcullis/sdk/errors';
import { metadataNameLength, metadataValueLength } from '../columns.ts';
import { dayMs, hourMs } from '../engine.ts';
import { clip } from '../rows.ts';
import { allOf, type Condition, conditionsOf, listed, timeCondition } from './filter.ts';
import { type Dimension, dimensions, type Rollup, rollups, type Slots, tableOf } from './rollups.ts';
import { settledRows } from './settle.ts';
import type { Dialect, QuerySql } from './sql.ts';

/** A stretch of time, and what is read for it. */
export interface Part {
  /** Undefined: the requests themselves. */
  readonly rollup: Rollup | undefined;
  readonly slots?: Slots;
  readonly from: number;
  readonly to: number;
  /** Of the requests themselves, those after this one alone. */
  readonly after?: number;
  /** All of it belongs to the bucket that begins here. */
  readonly bucket?: number;
}

/** What there is to read from: some rollups, and the last row that they know. */
export interface Sources {
  readonly rollups: readonly Rollup[];
  /** Undefined: they know all rows. */
  readonly settled?: number;
}

const metadataPrefix = 'metadata:';
/** What a filter says with the dimensions that it is about; what is not here only the requests themselves can answer. */
const filterDimensions: Readonly<Partial<Record<keyof LogFilter, readonly Dimension[]>>> = {
  workspaceIds: ['workspaceId'],
  status: ['status'],
  models: ['provider', 'model'],
  providerSlugs: ['providerSlug'],
  configSlugs: ['configSlug'],
  promptSlugs: ['promptSlug'],
  keyIds: ['keyId'],
  users: ['user'],
};
const bounds: ReadonlySet<string> = new Set(['organisationId', 'from', 'to', 'metadata']);

/** The name of the metadata that a dimension is about. */
export function metadataName(dimension: LogDimension): string | undefined {
  return dimension.startsWith(metadataPrefix) ? dimension.slice(metadataPrefix.length) : undefined;
}

/** @throws GatewayError `bad_request` for more than two dimensions, or a step that is no whole number of minutes */
export function checkQuery({ by, stepMs }: AggregateQuery): void {
  if (by.length > 2) throw new GatewayError('bad_request', 'Group by at most two dimensions.', { param: 'by' });
  if (by.includes('bucket')) checkStep(stepMs);
}

/** @throws GatewayError `bad_request` */
export function checkStep(stepMs: number | undefined): asserts stepMs is number {
  if (stepMs !== undefined && stepMs > 0 && Number.isSafeInteger(stepMs) && stepMs % 60_000 === 0) return;
  throw new GatewayError('bad_request', 'The step must be a whole number of minutes, in milliseconds.', {
    param: 'stepMs',
  });
}

/** Whole hours and days from a rollup where one has all that is asked, and the rest from the requests themselves. */
export function partsOf(
  { filter, by, stepMs = 0, measures }: AggregateQuery,
  { rollups: known, settled }: Sources,
): readonly Part[] {
  const { from, to } = filter;
  const rollup = undefined;
  if (by.includes('bucket') && stepMs % hourMs !== 0) return [{ rollup, from, to }];
  const own = known.find((one) => covers(one, filter, by, measures));
  const first = Math.ceil(from / hourMs) * hourMs;
  const last = Math.floor(to / hourMs) * hourMs;
  if (own === undefined || first >= last) return [{ rollup, from, to }];
  return [
    { rollup, from, to: first },
    ...slotsOf(own, first, last, !by.includes('bucket') || stepMs % dayMs === 0),
    { rollup, from: last, to },
    ...(settled === undefined ? [] : [{ rollup, from: first, to: last, after: settled }]),
  ].filter((part) => part.from < part.to);
}

/** Of requests that are chosen by these alone, an index has all, in the order of their time. */
const sizes: ReadonlySet<string> = new Set<keyof LogFilter>([
  'workspaceIds',
  'totalTokens',
  'inputTokens',
  'outputTokens',
  'costNanoUsd',
]);
const mostBuckets = 1000;

/**
 * A part in its buckets, where to ask for one after the other is faster: the embedded database sorts all that it is to group,
 * though an index has it in order, which takes four times as long as to read it.
 */
export function bucketsOf(
  dialect: Dialect,
  { by, filter, stepMs = hourMs }: AggregateQuery,
  part: Part,
): readonly Part[] {
  const { rollup, after, from, to } = part;
  const first = from - (from % stepMs);
  const count = Math.ceil((to - first) / stepMs);
  const isSorted = Object.entries(filter).every(
    ([name, value]) => value === undefined || sizes.has(name) || (bounds.has(name) && name !== 'metadata'),
  );
  if (dialect !== 'sqlite' || rollup !== undefined || after !== undefined || !isSorted) return [part];
  if (by.length !== 1 || by[0] !== 'bucket' || count > mostBuckets) return [part];
  return Array.from({ length: count }, (_, index) => {
    const bucket = first + index * stepMs;
    return { ...part, bucket, from: Math.max(from, bucket), to: Math.min(to, bucket + stepMs) };
  });
}

function slotsOf(rollup: Rollup, first: number, last: number, inDays: boolean): readonly Part[] {
  const firstDay = Math.ceil(first / dayMs) * dayMs;
  const lastDay = Math.floor(last / dayMs) * dayMs;
  if (!inDays || firstDay >= lastDay) return [{ rollup, slots: 'hours', from: first, to: last }];
  return [
    { rollup, slots: 'hours', from: first, to: firstDay },
    { rollup, slots: 'days', from: firstDay, to: lastDay },
    { rollup, slots: 'hours', from: lastDay, to: last },
  ];
}

function covers(
  rollup: Rollup,
  filter: LogFilter,
  by: readonly LogDimension[],
  measures: readonly LogMeasure[],
): boolean {
  const names = [...by.map(metadataName), ...Object.keys(filter.metadata ?? {})].filter((name) => name !== undefined);
  if (rollup.ofMetadata !== names.length > 0 || new Set(names).size > 1) return false;
  // When a group without the name was seen is not to be had by subtraction.
  if (rollup.ofMetadata && by.length > 1 && measures.some((measure) => /Seen$/.test(measure))) return false;
  const filtered = (Object.keys(filter) as (keyof LogFilter)[]).filter(
    (name) => filter[name] !== undefined && !bounds.has(name),
  );
  const own: ReadonlySet<string> = new Set(rollup.by);
  return (
    by.every((dimension) => dimension === 'bucket' || own.has(dimension) || metadataName(dimension) !== undefined) &&
    filtered.every((name) => filterDimensions[name]?.every((dimension) => own.has(dimension)) === true)
  );
}

/** What a part is read from, as `l`. */
export function sourceOf(
  dialect: Dialect,
  { rollup, slots = 'hours', from, to, after }: Part,
  filter: LogFilter,
  by: readonly LogDimension[],
): Condition {
  if (rollup === undefined) {
    const where = allOf([
      ...(after === undefined ? [] : [{ sql: 'l.seq > ?', values: [after] }]),
      ...conditionsOf({ ...filter, from, to }, dialect),
      timeCondition(from, to),
    ]);
    // The few that are the last are next to each other; indexes would find those of the whole stretch.
    return { sql: `logs l ${after === undefined ? '' : 'NOT INDEXED '}WHERE ${where.sql}`, values: where.values };
  }
  const { metadata = {}, ...rest } = filter;
  const [[name, values] = [by.map(metadataName).find((one) => one !== undefined)]] = Object.entries(metadata);
  const where = allOf([
    ...conditionsOf(rest, dialect),
    timeCondition(from, to, 'l.slot'),
    ...(rollup.ofMetadata ? listed('l.name', [clip(name ?? '', metadataNameLength)]) : []),
    ...(rollup.ofMetadata
      ? listed(
          'l.value',
          values?.map((value) => clip(value, metadataValueLength)),
        )
      : []),
  ]);
  return { sql: `${tableOf(rollup, slots)} l WHERE ${where.sql}`, values: where.values };
}

/** The expression of a key, in a part. */
export function keyOf(
  dialect: Dialect,
  dimension: LogDimension,
  stepMs: number | undefined,
  { rollup, bucket }: Pick<Part, 'rollup' | 'bucket'>,
): Condition {
  if (dimension === 'bucket') {
    if (bucket !== undefined) return { sql: '?', values: [bucket] };
    const moment = rollup === undefined ? 'l.created_at' : 'l.slot';
    return { sql: `${moment} - ${moment} % ${stepMs ?? hourMs}`, values: [] };
  }
  const name = metadataName(dimension);
  if (name === undefined) {
    const { column, length } = dimensions[dimension as Dimension];
    return { sql: length === undefined ? `l.${column}` : `NULLIF(l.${column}, '')`, values: [] };
  }
  if (rollup !== undefined) return { sql: "NULLIF(l.value, '')", values: [] };
  return extracted[dialect](clip(name, metadataNameLength));
}

/** A value of the metadata of a request; rollups know it up to the same length. */
const extracted: Readonly<Record<Dialect, (name: string) => Condition>> = {
  sqlite: (name) => valueAt('json_extract(l.metadata, ?)', `$.${JSON.stringify(name)}`),
  mysql: (name) => valueAt('JSON_VALUE(l.metadata, ?)', `$.${JSON.stringify(name)}`),
  clickhouse: (name) => valueAt('l.metadata[?]', name),
};

function valueAt(expression: string, value: string): Condition {
  return { sql: `NULLIF(SUBSTR(${expression}, 1, ${metadataValueLength}), '')`, values: [value] };
}

/** What may be asked in place of the requests; ClickHouse has no need of any. */
export async function sourcesOf(sql: QuerySql): Promise<Sources> {
  if (sql.dialect === 'clickhouse') return { rollups: [] };
  const known = { rollups: Object.values<Rollup>(rollups) };
  const rows = await settledRows(sql);
  return rows === undefined || rows.settled >= rows.last ? known : { ...known, settled: rows.settled };
}

/** Of them those that are fit for more. */
export function among(sources: Sources, fit: (rollup: Rollup) => boolean): Sources {
  return { ...sources, rollups: sources.rollups.filter(fit) };
}
