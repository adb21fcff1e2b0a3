import { type Attempt, compact, type LogRow, type Timings } from 'portcullis/sdk';

/** A request as a list of values: half the work, and half the bytes, of the same with names. New ones go to the end. */
type Flat = readonly [...unknown[]];

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

/** A request as one line of JSON. Written out: it is made on the serving loop, and a loop over names takes as long as the JSON. */
export function rowLine(row: LogRow): string {
  const { timings: spent, attempts } = row;
  return JSON.stringify([
    row.id,
    row.organisationId,
    row.workspaceId,
    row.createdAt,
    row.traceId,
    row.spanId,
    row.parentSpanId,
    row.spanName,
    row.method,
    row.path,
    row.endpoint,
    row.status,
    row.error,
    row.provider,
    row.model,
    row.requestedModel,
    row.providerSlug,
    row.keyId,
    row.userId,
    row.configId,
    row.configSlug,
    row.promptId,
    row.promptSlug,
    row.target,
    row.inputTokens,
    row.outputTokens,
    row.totalTokens,
    row.cacheReadTokens,
    row.cacheWriteTokens,
    row.reasoningTokens,
    row.usageSource,
    row.costNanoUsd,
    row.savedNanoUsd,
    row.stream,
    row.retries,
    row.fallback,
    row.cacheStatus,
    row.durationMs,
    row.user,
    row.source,
    row.metadata,
    row.guardrails,
    [
      spent.parse,
      spent.prepare,
      spent.guardrailsBefore,
      spent.cache,
      spent.upstream,
      spent.guardrailsAfter,
      spent.firstByte,
    ],
    attempts.map(flatAttempt),
    row.promptVersion,
  ]);
}

/** The request of a line. */
export function rowOfLine(line: string): LogRow {
  const flat = JSON.parse(line) as Flat;
  const row: Record<string, unknown> = {};
  for (let place = 0; place < fields.length; place++) row[fields[place] as string] = flat[place] ?? null;
  row.timings = timingsOf(row.timings as FlatTimings);
  row.attempts = (row.attempts as FlatAttempt[]).map(attemptOf);
  return row as unknown as LogRow;
}

type FlatTimings = readonly [number, number, number, number, number, number, number | null];
type FlatAttempt = readonly [string, string | null, number, number, number, string | null];

function timingsOf([parse, prepare, guardrailsBefore, cache, upstream, guardrailsAfter, first]: FlatTimings): Timings {
  return {
    parse,
    prepare,
    guardrailsBefore,
    cache,
    upstream,
    guardrailsAfter,
    ...((first === null ? {} : { firstByte: first }) as Pick<Timings, 'firstByte'>),
  };
}

function flatAttempt({ target, provider, status, startedAt, durationMs, error }: Attempt): unknown[] {
  return [target, provider, status, startedAt, durationMs, error];
}

function attemptOf([target, provider, status, startedAt, durationMs, error]: FlatAttempt): Attempt {
  const optional = compact({ provider: provider ?? undefined, error: error ?? undefined });
  return { target, ...optional, status, startedAt, durationMs } as Attempt;
}
