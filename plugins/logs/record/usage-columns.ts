import type { LogRow, Usage } from 'portcullis/sdk';

type UsageColumns = Pick<
  LogRow,
  | 'inputTokens'
  | 'outputTokens'
  | 'totalTokens'
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'reasoningTokens'
  | 'usageSource'
>;

/** Tokens as a row keeps them; where nobody has counted, none. */
export function usageColumns(usage: Usage | undefined, source: LogRow['usageSource'] = 'provider'): UsageColumns {
  return {
    inputTokens: usage?.input ?? null,
    outputTokens: usage?.output ?? null,
    totalTokens: usage === undefined ? null : (usage.total ?? usage.input + usage.output),
    cacheReadTokens: usage?.cacheRead ?? null,
    cacheWriteTokens: usage?.cacheWrite ?? null,
    reasoningTokens: usage?.reasoning ?? null,
    usageSource: usage === undefined ? null : source,
  };
}
