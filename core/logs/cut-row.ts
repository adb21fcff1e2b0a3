import type { LogEntry } from 'portcullis/sdk';
import { logColumns } from './columns.ts';
import { clip } from './rows.ts';

const texts = logColumns.flatMap(({ field, length }) => (length === undefined ? [] : [{ field, length }]));

/** The entry with the texts of its row as long as a store keeps them: what a client calls its model can be as large as a body. */
export function withTextsCut(entry: LogEntry): LogEntry {
  const { row } = entry;
  let cut: Record<string, string> | undefined;
  for (const { field, length } of texts) {
    const text = row[field];
    if (typeof text !== 'string' || text.length <= length) continue;
    cut ??= {};
    cut[field] = clip(text, length);
  }
  return cut === undefined ? entry : { ...entry, row: { ...row, ...cut } };
}
