import type {
  AggregateRow,
  FeedbackRow,
  LogDimension,
  LogEntry,
  LogFilter,
  LogMeasure,
  LogRow,
  LogSinks,
  LogStore,
  Range,
} from 'portcullis/sdk';

/** The smallest store that keeps the contract: every row in a list, every question answered by looking at all of them. */
export function memoryLogs(): LogStore & LogSinks {
  const entries: LogEntry[] = [];
  const given: FeedbackRow[] = [];
  const feedbackOf = ({ traceId, organisationId }: LogRow) =>
    given.filter((one) => one.traceId === traceId && one.organisationId === organisationId);
  const found = (filter: LogFilter) =>
    entries
      .filter(({ row }) => fits(row, filter, feedbackOf))
      .sort((a, b) => b.row.createdAt - a.row.createdAt || (a.row.id < b.row.id ? 1 : -1));
  return {
    write: (entry) => void entries.push(entry),
    feedback: (rows) => void given.push(...rows),
    find: async (organisationId, id) =>
      entries.find(({ row }) => row.organisationId === organisationId && row.id === id),
    list: async (filter, { limit, offset, bodies = false }) => {
      const all = found(filter);
      const page = all.slice(offset, offset + limit);
      return { total: all.length, entries: page.map((entry) => (bodies ? entry : { ...entry, bodies: undefined })) };
    },
    aggregate: async ({ filter, by, stepMs = 0, measures, orderBy, limit, offset }) => {
      const groups = new Map<string, LogRow[]>();
      if (by.length === 0) groups.set('[]', []);
      for (const { row } of found(filter)) {
        const keys = JSON.stringify(by.map((dimension) => keyOf(row, dimension, stepMs)));
        groups.set(keys, [...(groups.get(keys) ?? []), row]);
      }
      const rows = [...groups].map(([keys, group]) => ({
        keys: JSON.parse(keys) as AggregateRow['keys'],
        values: Object.fromEntries(measures.map((measure) => [measure, measured[measure](group, feedbackOf)])),
        requests: group.length,
      }));
      const order = (row: (typeof rows)[number]) =>
        orderBy === undefined ? row.requests : Number(row.values[orderBy.measure] ?? 0);
      const sorted = rows.sort((a, b) => (order(b) - order(a)) * (orderBy?.descending === false ? -1 : 1));
      if (orderBy === undefined && by[0] === 'bucket') sorted.sort((a, b) => Number(a.keys[0]) - Number(b.keys[0]));
      return {
        total: sorted.length,
        rows: sorted.slice(offset, offset + limit).map(({ keys, values }) => ({ keys, values })),
      };
    },
    feedbackBy: async (filter, by, stepMs = 0) => {
      const groups = new Map<string, FeedbackRow[]>();
      for (const one of given) {
        if (one.createdAt < filter.from || one.createdAt >= filter.to) continue;
        const row = entries.find(
          ({ row: { traceId, ...rest } }) =>
            traceId === one.traceId && fits({ ...rest, traceId, createdAt: filter.from }, filter, feedbackOf),
        )?.row;
        if (row === undefined) continue;
        const key = JSON.stringify(
          by === 'value' ? one.value : by === 'model' ? row.model : Math.floor(one.createdAt / stepMs) * stepMs,
        );
        groups.set(key, [...(groups.get(key) ?? []), one]);
      }
      return [...groups].map(([key, group]) => ({
        key: JSON.parse(key) as string | number | null,
        total: group.length,
        weighted: weightedMean(group),
      }));
    },
    updateFeedback: async ({ organisationId, workspaceId }, id, changes) => {
      const index = given.findIndex(
        (one) =>
          one.id === id &&
          one.organisationId === organisationId &&
          (workspaceId ?? one.workspaceId) === one.workspaceId,
      );
      const before = given[index];
      if (before === undefined) return false;
      given[index] = { ...before, ...changes };
      return true;
    },
    prune: async ({ logs }) => {
      const kept = entries.filter(({ row }) => row.createdAt >= logs);
      const removed = entries.length - kept.length;
      entries.splice(0, entries.length, ...kept);
      return removed;
    },
  };
}

type FeedbackOf = (row: LogRow) => readonly FeedbackRow[];

function fits(row: LogRow, filter: LogFilter, feedbackOf: FeedbackOf): boolean {
  const among = <V>(values: readonly V[] | undefined, value: V | null) =>
    values === undefined || (value !== null && values.includes(value));
  const within = (range: Range | undefined, value: number | null) =>
    range === undefined ||
    (value !== null && value >= (range.min ?? Number.NEGATIVE_INFINITY) && value <= (range.max ?? Infinity));
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
    within(filter.totalTokens, row.totalTokens) &&
    within(filter.inputTokens, row.inputTokens) &&
    within(filter.outputTokens, row.outputTokens) &&
    within(filter.costNanoUsd, row.costNanoUsd) &&
    within(filter.weightedFeedback, filter.weightedFeedback === undefined ? null : weightedMean(feedbackOf(row))) &&
    (filter.models?.some(
      ({ provider = row.provider, model = row.model }) => provider === row.provider && model === row.model,
    ) ??
      true) &&
    Object.entries(filter.metadata ?? {}).every(([name, values]) => values.includes(row.metadata[name] ?? ''))
  );
}

function keyOf(row: LogRow, dimension: LogDimension, stepMs: number): string | number | null {
  if (dimension === 'bucket') return Math.floor(row.createdAt / stepMs) * stepMs;
  if (dimension.startsWith('metadata:')) return row.metadata[dimension.slice(9)] ?? null;
  return (row as unknown as Record<string, string | number | null>)[dimension] ?? null;
}

function weightedMean(rows: readonly FeedbackRow[]): number | null {
  const weight = rows.reduce((sum, row) => sum + row.weight, 0);
  return weight === 0 ? null : rows.reduce((sum, row) => sum + row.value * row.weight, 0) / weight;
}

const sum = (of: (row: LogRow) => number | null) => (rows: readonly LogRow[]) =>
  rows.reduce((total, row) => total + (of(row) ?? 0), 0);
const count = (test: (row: LogRow) => boolean) => (rows: readonly LogRow[]) => rows.filter(test).length;
const mean = (of: readonly number[]) =>
  of.length === 0 ? null : of.reduce((total, one) => total + one, 0) / of.length;
const rank = (share: number) => (rows: readonly LogRow[]) => {
  const sorted = rows.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
};
const isHit = ({ cacheStatus }: LogRow) => cacheStatus === 'HIT' || cacheStatus === 'SEMANTIC HIT';
const once = (rows: readonly LogRow[], feedbackOf: FeedbackOf) => new Set(rows.flatMap((row) => feedbackOf(row)));

const measured: Readonly<Record<LogMeasure, (rows: readonly LogRow[], feedbackOf: FeedbackOf) => number | null>> = {
  requests: (rows) => rows.length,
  costNanoUsd: sum((row) => row.costNanoUsd),
  inputTokens: sum((row) => row.inputTokens),
  outputTokens: sum((row) => row.outputTokens),
  totalTokens: sum((row) => row.totalTokens),
  errors: count(({ status }) => status >= 400),
  simpleHits: count(({ cacheStatus }) => cacheStatus === 'HIT'),
  semanticHits: count(({ cacheStatus }) => cacheStatus === 'SEMANTIC HIT'),
  cacheLookups: count(({ cacheStatus }) => cacheStatus !== null && cacheStatus !== 'DISABLED'),
  cacheSavingsNanoUsd: sum((row) => (isHit(row) ? row.savedNanoUsd : 0)),
  cacheLatency: (rows) => mean(rows.filter(isHit).map(({ durationMs }) => durationMs)),
  avgLatency: (rows) => mean(rows.map(({ durationMs }) => durationMs)),
  p50Latency: rank(0.5),
  p90Latency: rank(0.9),
  p95Latency: rank(0.95),
  p99Latency: rank(0.99),
  users: (rows) => new Set(rows.flatMap(({ user }) => user ?? [])).size,
  rescuedByRetry: count(({ status, retries }) => status < 400 && retries > 0),
  rescuedByFallback: count(({ status, fallback }) => status < 400 && fallback),
  firstSeen: (rows) => (rows.length === 0 ? null : Math.min(...rows.map(({ createdAt }) => createdAt))),
  lastSeen: (rows) => (rows.length === 0 ? null : Math.max(...rows.map(({ createdAt }) => createdAt))),
  feedbacks: (rows, feedbackOf) => once(rows, feedbackOf).size,
  weightedFeedback: (rows, feedbackOf) => weightedMean([...once(rows, feedbackOf)]),
  requestsWithFeedback: (rows, feedbackOf) => rows.filter((row) => feedbackOf(row).length > 0).length,
};
