import type { LogEntry, LogRow } from 'portcullis/sdk';
import { logColumns } from './columns.ts';
import { clip } from './rows.ts';

const texts = logColumns.flatMap(({ field, length }) => (length === undefined ? [] : [{ field, length }]));
/** No column of a word, and none of any other text, keeps less. */
const word = 16;
const short = 64;

/** The entry with the texts of its row as long as a store keeps them: what a client calls its model can be as large as a body. */
export function withTextsCut(entry: LogEntry): LogEntry {
  const { row } = entry;
  if (isShort(row)) return entry;
  let cut: Record<string, string> | undefined;
  for (const { field, length } of texts) {
    const text = row[field];
    if (typeof text !== 'string' || text.length <= length) continue;
    cut ??= {};
    cut[field] = clip(text, length);
  }
  return cut === undefined ? entry : { ...entry, row: { ...row, ...cut } };
}

/** Whether no text can be too long for its column. Written out: the table takes twenty times as long, for each request. */
function isShort(row: LogRow): boolean {
  return (
    row.id.length <= short &&
    row.organisationId.length <= short &&
    row.workspaceId.length <= short &&
    row.traceId.length <= short &&
    row.spanId.length <= short &&
    within(row.parentSpanId, short) &&
    within(row.spanName, short) &&
    row.method.length <= word &&
    row.path.length <= short &&
    within(row.endpoint, short) &&
    within(row.error, short) &&
    within(row.provider, short) &&
    within(row.model, short) &&
    within(row.requestedModel, short) &&
    within(row.providerSlug, short) &&
    within(row.keyId, short) &&
    within(row.userId, short) &&
    within(row.configId, short) &&
    within(row.configSlug, short) &&
    within(row.configVersionId, short) &&
    within(row.promptId, short) &&
    within(row.promptSlug, short) &&
    within(row.promptVersionId, short) &&
    within(row.target, short) &&
    within(row.usageSource, word) &&
    within(row.cacheStatus, word) &&
    within(row.user, short) &&
    row.source.length <= word
  );
}

function within(text: string | null, length: number): boolean {
  return text === null || text.length <= length;
}
