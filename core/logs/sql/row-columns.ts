import type { LogRow } from 'portcullis/sdk';
import { logColumns } from '../columns.ts';
import { metadataPairs, type Stored, storedValue } from '../rows.ts';

/** What is only shown: it stands in the block of the request alone, so that rows are short and quickly read through. */
const shownAlone: ReadonlySet<keyof LogRow> = new Set([
  'parentSpanId',
  'spanName',
  'method',
  'path',
  'error',
  'requestedModel',
  'userId',
  'configId',
  'promptId',
  'promptVersion',
  'target',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'usageSource',
  'stream',
  'source',
  'timings',
  'attempts',
  'guardrails',
]);

/** What SQL stores filter, group and sum by. */
export const rowColumns = logColumns.filter(({ field }) => !shownAlone.has(field));

/** The values of `rowColumns`; metadata is within its bounds. */
export function rowValues(row: LogRow): Stored[] {
  return rowColumns.map((column) =>
    column.field === 'metadata' ? metadataText(row) : storedValue(row[column.field], column),
  );
}

function metadataText(row: LogRow): string {
  for (const _ in row.metadata) return JSON.stringify(Object.fromEntries(metadataPairs(row)));
  return '{}';
}
