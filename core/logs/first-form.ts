import type { LogRow } from 'portcullis/sdk';
import { attemptsOf, type FlatAttempt, type FlatTimings, timingsOf } from './flat-parts.ts';
import { keptLater } from './same-fields.ts';

/** What blocks of the first form have in a line: all of a request. They are read for as long as there are any. */
const fields = [
  'id',
  'organisationId',
  'workspaceId',
  'createdAt',
  'traceId',
  'spanId',
  'parentSpanId',
  'spanName',
  'method',
  'path',
  'endpoint',
  'status',
  'error',
  'provider',
  'model',
  'requestedModel',
  'providerSlug',
  'keyId',
  'userId',
  'configId',
  'configSlug',
  'promptId',
  'promptSlug',
  'target',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'usageSource',
  'costNanoUsd',
  'savedNanoUsd',
  'stream',
  'retries',
  'fallback',
  'cacheStatus',
  'durationMs',
  'user',
  'source',
  'metadata',
  'guardrails',
  'timings',
  'attempts',
  'promptVersion',
] as const satisfies readonly (keyof LogRow)[];

/** Whether the lines are of the first form: each begins with the id of its request. */
export function isFirstForm(lines: string): boolean {
  return lines.startsWith('["');
}

/** The request of a line. */
export function rowOfFirstForm(line: string): LogRow {
  const flat = JSON.parse(line) as unknown[];
  const row: Record<string, unknown> = { ...keptLater };
  for (let place = 0; place < fields.length; place++) row[fields[place] as string] = flat[place] ?? null;
  row.timings = timingsOf(row.timings as FlatTimings, 1);
  row.attempts = attemptsOf(row.attempts as FlatAttempt[], Number(row.createdAt));
  return row as unknown as LogRow;
}
