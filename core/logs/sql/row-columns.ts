import { logColumns } from '../columns.ts';
import type { IndexedRow, OwnField } from '../row-line.ts';
import { metadataPairs, type Stored, storedValue } from '../rows.ts';
import type { Shared } from '../same-fields.ts';

/** What SQL stores filter, group and sum by, of what requests share. The rest stands in the block of a request alone. */
const sharedFields = [
  'organisationId',
  'workspaceId',
  'endpoint',
  'status',
  'provider',
  'model',
  'providerSlug',
  'keyId',
  'configSlug',
  'promptSlug',
  'retries',
  'fallback',
  'cacheStatus',
] as const satisfies readonly (keyof Shared)[];
const ownFields = [
  'id',
  'createdAt',
  'traceId',
  'spanId',
  'totalTokens',
  'inputTokens',
  'outputTokens',
  'costNanoUsd',
  'savedNanoUsd',
  'durationMs',
  'user',
  'metadata',
] as const satisfies readonly OwnField[];

const indexed: ReadonlySet<string> = new Set([...sharedFields, ...ownFields]);
/** The columns, in the order that they have in the table: rows are short and quickly read through. */
export const rowColumns = logColumns.filter(({ field }) => indexed.has(field));

const sharedColumns = columnsOf(sharedFields);
const ownColumns = columnsOf(ownFields);
/** In the order of the values of `rowValues`. */
export const valueColumns: readonly string[] = [...sharedColumns, ...ownColumns].map(
  ({ column: { column } }) => column,
);

function columnsOf<F extends string>(fields: readonly F[]) {
  return fields.flatMap((field) =>
    logColumns.filter((column) => column.field === field).map((column) => ({ field, column })),
  );
}

/** The values of a request for `valueColumns`, given those of what it shares; metadata is within its bounds. */
export function rowValues(row: IndexedRow, ofShared: readonly Stored[]): Stored[] {
  const values = ofShared.slice();
  for (const { field, column } of ownColumns)
    values.push(field === 'metadata' ? metadataText(row) : storedValue(row[field], column));
  return values;
}

export function sharedValues(shared: Shared): readonly Stored[] {
  return sharedColumns.map(({ field, column }) => storedValue(shared[field], column));
}

function metadataText(row: IndexedRow): string {
  for (const _ in row.metadata) return JSON.stringify(Object.fromEntries(metadataPairs(row)));
  return '{}';
}
