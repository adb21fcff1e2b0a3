import type { LogRow } from 'portcullis/sdk';
import { attemptsOf, type FlatAttempt, type FlatTimings, flatAttempt, flatTimings, timingsOf } from './flat-parts.ts';
import { keptLater, type Shared } from './same-fields.ts';

/** Of a request, what a store looks it up and sums it by: what it shares with others, and its own. */
export interface IndexedRow extends Pick<LogRow, OwnField> {
  /** The same object for all that share it in a block. */
  readonly shared: Shared;
}

export type OwnField =
  | 'id'
  | 'createdAt'
  | 'traceId'
  | 'spanId'
  | 'totalTokens'
  | 'inputTokens'
  | 'outputTokens'
  | 'costNanoUsd'
  | 'savedNanoUsd'
  | 'durationMs'
  | 'user'
  | 'metadata';

/** A trace that is named as its request, as one is that nobody has named. */
const sameAsId = 0;

/**
 * What a store looks a request up by, as a line of JSON: values without names are half the work.
 * @param shared what it shares with others, or the place of the request in whose line that stands
 */
export function indexLine(row: LogRow, shared: Shared | number): string {
  return JSON.stringify([
    typeof shared === 'number' ? shared : [shared],
    row.id,
    row.createdAt,
    row.traceId === row.id ? sameAsId : row.traceId,
    row.spanId,
    row.totalTokens,
    row.inputTokens,
    row.outputTokens,
    row.costNanoUsd,
    row.savedNanoUsd,
    row.durationMs,
    row.user,
    row.metadata,
  ]);
}

/** What is only shown of it, as another line: a store that writes it need not understand it. New values go to the end. */
export function detailLine(row: LogRow): string {
  return JSON.stringify([
    row.parentSpanId,
    row.spanName,
    row.cacheReadTokens,
    row.cacheWriteTokens,
    row.reasoningTokens,
    flatTimings(row.timings),
    row.attempts.map((attempt) => flatAttempt(attempt, row.createdAt)),
    row.guardrails,
  ]);
}

type Flat = readonly [
  shared: readonly [Shared] | number,
  id: string,
  createdAt: number,
  traceId: string | typeof sameAsId,
  spanId: string,
  totalTokens: number | null,
  inputTokens: number | null,
  outputTokens: number | null,
  costNanoUsd: number | null,
  savedNanoUsd: number | null,
  durationMs: number,
  user: string | null,
  metadata: LogRow['metadata'],
];

/** @param sharedAt gives what stands in the line of another request */
export function indexedRow(line: string, sharedAt: (place: number) => Shared): IndexedRow {
  const flat = JSON.parse(line) as Flat;
  const [shared, id, createdAt, traceId, spanId] = flat;
  return {
    shared: typeof shared === 'number' ? sharedAt(shared) : shared[0],
    id,
    createdAt,
    traceId: traceId === sameAsId ? id : traceId,
    spanId,
    totalTokens: flat[5],
    inputTokens: flat[6],
    outputTokens: flat[7],
    costNanoUsd: flat[8],
    savedNanoUsd: flat[9],
    durationMs: flat[10],
    user: flat[11],
    metadata: flat[12],
  };
}

type FlatDetail = readonly [
  parentSpanId: string | null,
  spanName: string | null,
  cacheReadTokens: number | null,
  cacheWriteTokens: number | null,
  reasoningTokens: number | null,
  timings: FlatTimings,
  attempts: readonly FlatAttempt[],
  guardrails: LogRow['guardrails'],
];

/** The whole request, of both of its lines. */
export function wholeRow({ shared, ...own }: IndexedRow, detail: string): LogRow {
  const [parentSpanId, spanName, cacheReadTokens, cacheWriteTokens, reasoningTokens, timings, attempts, guardrails] =
    JSON.parse(detail) as FlatDetail;
  return {
    ...keptLater,
    ...shared,
    ...own,
    parentSpanId,
    spanName,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
    timings: timingsOf(timings),
    attempts: attemptsOf(attempts, own.createdAt),
    guardrails,
  };
}
