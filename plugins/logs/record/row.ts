import { type ErrorCode, errorCodes, type LogRow, type RequestRecord, type Timings } from 'portcullis/sdk';
import { usageColumns } from './usage-columns.ts';

export const untimed: Timings = Object.freeze({
  parse: 0,
  prepare: 0,
  guardrailsBefore: 0,
  cache: 0,
  upstream: 0,
  guardrailsAfter: 0,
  firstByte: undefined,
});

/** A request as it is kept. Whose it is has been found out: callers of the operator's file have no logs. */
export function rowOf(
  record: RequestRecord,
  { organisationId, workspaceId }: { readonly organisationId: string; readonly workspaceId: string },
): LogRow {
  const { metadata } = record;
  const tokens = usageColumns(record.usage, record.usageSource);
  // Nothing is spread in the middle of it: the engine defines each member behind that by a call of its own.
  return {
    id: record.id,
    organisationId,
    workspaceId,
    createdAt: record.startedAt,
    traceId: record.traceId,
    spanId: record.spanLabel ?? record.spanId,
    parentSpanId: record.parentSpanId ?? null,
    spanName: record.spanName ?? null,
    method: record.method,
    path: record.path,
    endpoint: record.endpoint ?? null,
    status: statusOf(record),
    error: record.error ?? null,
    provider: record.provider ?? null,
    model: record.model ?? null,
    requestedModel: record.requestedModel ?? null,
    providerSlug: record.providerSlug ?? null,
    keyId: record.keyId ?? null,
    userId: record.userId ?? null,
    configId: record.configId ?? null,
    configSlug: record.configSlug ?? null,
    configVersionId: record.configVersionId ?? null,
    promptId: record.prompt?.id ?? null,
    promptSlug: record.prompt?.slug ?? null,
    promptVersion: record.prompt?.version ?? null,
    promptVersionId: record.prompt?.versionId ?? null,
    target: record.target ?? null,
    inputTokens: tokens.inputTokens,
    outputTokens: tokens.outputTokens,
    totalTokens: tokens.totalTokens,
    cacheReadTokens: tokens.cacheReadTokens,
    cacheWriteTokens: tokens.cacheWriteTokens,
    reasoningTokens: tokens.reasoningTokens,
    usageSource: tokens.usageSource,
    costNanoUsd: record.cost?.nanoUsd ?? null,
    savedNanoUsd: record.savedNanoUsd ?? null,
    stream: record.stream,
    retries: record.retries,
    fallback: record.fallback ?? false,
    cacheStatus: record.cache ?? null,
    sentAs: record.sentAs ?? null,
    replyUntouched: record.replyUntouched ?? false,
    durationMs: record.durationMs,
    timings: record.timings ?? untimed,
    attempts: record.attempts ?? none,
    user: metadata._user ?? null,
    metadata,
    // Plain JSON by their nature; they get their wire names when somebody reads them.
    guardrails: (record.guardrails ?? none) as unknown as LogRow['guardrails'],
    source: 'gateway',
  };
}

/**
 * A stream that broke off had begun with 200, and yet it failed: it is kept, and counted, with the status of its error,
 * as one whose client has left is. Denials that are to look like answers stay what they look like.
 */
function statusOf({ status, error }: RequestRecord): number {
  if (status >= 400 || error === undefined || error === 'guardrail_denied' || !isCode(error)) return status;
  return errorCodes[error].status;
}

function isCode(error: string): error is ErrorCode {
  return Object.hasOwn(errorCodes, error);
}

const none: readonly never[] = Object.freeze([]);
