import type { AggregateQuery, FeedbackRow, LogDimension, LogFilter, LogMeasure, LogRow, Range } from 'portcullis/sdk';
import { nearestRank } from '../../../core/logs/sketch.ts';

/** The logs as plain lists, aggregated without any of the code under test. */
export interface Kept {
  readonly rows: readonly LogRow[];
  readonly feedback: readonly FeedbackRow[];
}

type Keys = readonly (string | number | null)[];
export interface GroupByHand {
  readonly keys: Keys;
  readonly values: Record<string, number | null>;
}

/** Traces are named by callers: those of two workspaces may have one name. */
export function isOn(feedback: FeedbackRow, row: LogRow): boolean {
  return (
    feedback.organisationId === row.organisationId &&
    feedback.workspaceId === row.workspaceId &&
    feedback.traceId === row.traceId
  );
}

export function fits(row: LogRow, filter: LogFilter, kept: Kept): boolean {
  const among = (list: readonly unknown[] | undefined, value: unknown) => list === undefined || list.includes(value);
  const within = (range: Range | undefined, value: number | null) =>
    range === undefined ||
    (value !== null &&
      value >= (range.min ?? Number.NEGATIVE_INFINITY) &&
      value <= (range.max ?? Number.POSITIVE_INFINITY));
  const given = kept.feedback.filter((one) => isOn(one, row));
  return (
    row.organisationId === filter.organisationId &&
    row.createdAt >= filter.from &&
    row.createdAt < filter.to &&
    among(filter.workspaceIds, row.workspaceId) &&
    among(filter.status, row.status) &&
    among(filter.providerSlugs, row.providerSlug) &&
    among(filter.configSlugs, row.configSlug) &&
    among(filter.promptSlugs, row.promptSlug) &&
    among(filter.keyIds, row.keyId) &&
    among(filter.users, row.user) &&
    among(filter.traceIds, row.traceId) &&
    among(filter.spanIds, row.spanId) &&
    among(filter.endpoints, row.endpoint) &&
    (filter.models === undefined ||
      filter.models.some(
        ({ provider, model }) =>
          (provider === undefined || provider === row.provider) && (model === undefined || model === row.model),
      )) &&
    Object.entries(filter.metadata ?? {}).every(([name, values]) => values.includes(row.metadata[name] ?? '\0')) &&
    within(filter.totalTokens, row.totalTokens) &&
    within(filter.inputTokens, row.inputTokens) &&
    within(filter.outputTokens, row.outputTokens) &&
    within(filter.costNanoUsd, row.costNanoUsd) &&
    within(filter.weightedFeedback, weightedMean(given))
  );
}

export function weightedMean(given: readonly FeedbackRow[]): number | null {
  const weight = given.reduce((sum, one) => sum + one.weight, 0);
  return weight === 0 ? null : given.reduce((sum, one) => sum + one.value * one.weight, 0) / weight;
}

/** Every group of the query with its measures, in no order. */
export function aggregateByHand(
  { filter, by, stepMs = 1, measures }: Omit<AggregateQuery, 'orderBy' | 'limit' | 'offset'>,
  kept: Kept,
): readonly GroupByHand[] {
  const groups = new Map<string, { keys: Keys; rows: LogRow[] }>();
  if (by.length === 0) groups.set('[]', { keys: [], rows: [] });
  for (const row of kept.rows) {
    if (!fits(row, filter, kept)) continue;
    const keys = by.map((dimension) => keyOf(row, dimension, stepMs));
    const text = JSON.stringify(keys);
    const group = groups.get(text) ?? { keys, rows: [] };
    group.rows.push(row);
    groups.set(text, group);
  }
  return [...groups.values()].map(({ keys, rows }) => ({
    keys,
    values: Object.fromEntries(measures.map((measure) => [measure, measureOf(measure, rows, kept.feedback)])),
  }));
}

function keyOf(row: LogRow, dimension: LogDimension, stepMs: number): string | number | null {
  if (dimension === 'bucket') return Math.floor(row.createdAt / stepMs) * stepMs;
  if (dimension.startsWith('metadata:')) return row.metadata[dimension.slice('metadata:'.length)] || null;
  const value = row[dimension as keyof LogRow] as string | number | null;
  return value === '' ? null : value;
}

function measureOf(measure: LogMeasure, rows: readonly LogRow[], all: readonly FeedbackRow[]): number | null {
  const total = (of: (row: LogRow) => number | null) => rows.reduce((sum, row) => sum + (of(row) ?? 0), 0);
  const count = (of: (row: LogRow) => boolean) => rows.filter(of).length;
  const mean = (some: readonly LogRow[]) =>
    some.length === 0 ? null : some.reduce((sum, row) => sum + row.durationMs, 0) / some.length;
  const hits = rows.filter((row) => row.cacheStatus === 'HIT' || row.cacheStatus === 'SEMANTIC HIT');
  const quantile = (share: number) =>
    rows.map((row) => row.durationMs).sort((a, b) => a - b)[nearestRank(share, rows.length)] ?? null;
  const own = (feedback: FeedbackRow) => (row: LogRow) => isOn(feedback, row);
  const given = all.filter((feedback) => rows.some(own(feedback)));
  const moments = rows.map((row) => row.createdAt);
  switch (measure) {
    case 'requests':
      return rows.length;
    case 'costNanoUsd':
    case 'inputTokens':
    case 'outputTokens':
    case 'totalTokens':
      return total((row) => row[measure]);
    case 'errors':
      return count((row) => row.status >= 400);
    case 'simpleHits':
      return count((row) => row.cacheStatus === 'HIT');
    case 'semanticHits':
      return count((row) => row.cacheStatus === 'SEMANTIC HIT');
    case 'cacheLookups':
      return hits.length + count((row) => row.cacheStatus === 'MISS' || row.cacheStatus === 'SEMANTIC MISS');
    case 'cacheSavingsNanoUsd':
      return hits.reduce((sum, row) => sum + (row.savedNanoUsd ?? 0), 0);
    case 'cacheLatency':
      return mean(hits);
    case 'avgLatency':
      return mean(rows);
    case 'p50Latency':
      return quantile(0.5);
    case 'p90Latency':
      return quantile(0.9);
    case 'p95Latency':
      return quantile(0.95);
    case 'p99Latency':
      return quantile(0.99);
    case 'users':
      return new Set(rows.map((row) => row.user).filter((user) => user !== null)).size;
    case 'userRequests':
      return count((row) => row.user !== null);
    case 'rescuedByRetry':
      return count((row) => row.retries > 0 && row.status < 400);
    case 'rescuedByFallback':
      return count((row) => row.fallback && row.status < 400);
    case 'firstSeen':
      return rows.length === 0 ? null : Math.min(...moments);
    case 'lastSeen':
      return rows.length === 0 ? null : Math.max(...moments);
    case 'feedbacks':
      return given.length;
    case 'weightedFeedback':
      return weightedMean(given);
    case 'requestsWithFeedback':
      return count((row) => all.some((feedback) => own(feedback)(row)));
  }
}
