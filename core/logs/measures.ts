import type { AggregateQuery, AggregateRow, LogMeasure } from 'portcullis/sdk';
import type { Aggregated } from './engine.ts';
import { quantileOf, type Sketch } from './sketch.ts';
import type { Sum } from './sql/rollups.ts';

/** All that is known of one group. */
export interface Group {
  readonly keys: readonly (string | number | null)[];
  readonly sums: Partial<Record<Sum, number>>;
  firstSeen: number;
  lastSeen: number;
  latency?: Sketch;
  users?: number;
  userRequests?: number;
  feedback?: { readonly count: number; readonly weighted: number; readonly weight: number };
  requestsWithFeedback?: number;
}

type Measured = { readonly [M in LogMeasure]: (group: Group) => number | null };

/** The measure of a group, from what it was summed up to. */
const measured: Measured = {
  requests: sum('requests'),
  costNanoUsd: sum('cost_nano_usd'),
  inputTokens: sum('input_tokens'),
  outputTokens: sum('output_tokens'),
  totalTokens: sum('total_tokens'),
  errors: sum('errors'),
  simpleHits: sum('simple_hits'),
  semanticHits: sum('semantic_hits'),
  cacheLookups: sum('cache_lookups'),
  cacheSavingsNanoUsd: sum('saved_nano_usd'),
  cacheLatency: ({ sums }) => ratio(sums.hit_ms, (sums.simple_hits ?? 0) + (sums.semantic_hits ?? 0)),
  avgLatency: ({ sums }) => ratio(sums.duration_ms, sums.requests),
  p50Latency: quantile(0.5),
  p90Latency: quantile(0.9),
  p95Latency: quantile(0.95),
  p99Latency: quantile(0.99),
  users: ({ users = 0 }) => users,
  userRequests: ({ userRequests = 0 }) => userRequests,
  rescuedByRetry: sum('rescued_by_retry'),
  rescuedByFallback: sum('rescued_by_fallback'),
  firstSeen: ({ sums, firstSeen }) => (sums.requests === 0 ? null : firstSeen),
  lastSeen: ({ sums, lastSeen }) => (sums.requests === 0 ? null : lastSeen),
  feedbacks: ({ feedback }) => feedback?.count ?? 0,
  weightedFeedback: ({ feedback }) => ratio(feedback?.weighted, feedback?.weight ?? 0),
  requestsWithFeedback: ({ requestsWithFeedback = 0 }) => requestsWithFeedback,
};

/** The sums that a measure is made of, beside the number of requests. */
export const sumsOf: Readonly<Partial<Record<LogMeasure, readonly Sum[]>>> = {
  costNanoUsd: ['cost_nano_usd'],
  inputTokens: ['input_tokens'],
  outputTokens: ['output_tokens'],
  totalTokens: ['total_tokens'],
  errors: ['errors'],
  simpleHits: ['simple_hits'],
  semanticHits: ['semantic_hits'],
  cacheLookups: ['cache_lookups'],
  cacheSavingsNanoUsd: ['saved_nano_usd'],
  cacheLatency: ['hit_ms', 'simple_hits', 'semantic_hits'],
  avgLatency: ['duration_ms'],
  rescuedByRetry: ['rescued_by_retry'],
  rescuedByFallback: ['rescued_by_fallback'],
};

/** What is read from a sketch of the durations. */
export const quantiles: readonly LogMeasure[] = ['p50Latency', 'p90Latency', 'p95Latency', 'p99Latency'];

/** What the query asks of the groups, in its order and on its page. */
export function answerOf(
  { by, measures, orderBy, limit, offset }: AggregateQuery,
  groups: readonly Group[],
): Aggregated {
  const bucket = by.indexOf('bucket');
  const order = orderBy?.measure ?? 'requests';
  const sign = (orderBy?.descending ?? true) ? -1 : 1;
  const ranked = groups.map((group) => ({ group, rank: measured[order](group) ?? Number.NEGATIVE_INFINITY }));
  ranked.sort((a, b) => {
    const earlier =
      orderBy === undefined && bucket >= 0 ? Number(a.group.keys[bucket]) - Number(b.group.keys[bucket]) : 0;
    if (earlier !== 0) return earlier;
    // Two groups without a value differ by no number.
    if (a.rank !== b.rank) return a.rank < b.rank ? -sign : sign;
    return compareKeys(a.group.keys, b.group.keys);
  });
  const rows = ranked.slice(offset, offset + limit).map(({ group }): AggregateRow => {
    const values = measures.map((measure) => [measure, measured[measure](group)]);
    return { keys: group.keys, values: Object.fromEntries(values) as AggregateRow['values'] };
  });
  return { total: groups.length, rows };
}

function compareKeys(a: Group['keys'], b: Group['keys']): number {
  for (const [index, key] of a.entries()) {
    const other = b[index] ?? null;
    if (key === other) continue;
    if (key === null || other === null) return key === null ? 1 : -1;
    return key < other ? -1 : 1;
  }
  return 0;
}

function sum(name: Sum): (group: Group) => number {
  return ({ sums }) => sums[name] ?? 0;
}

function quantile(share: number): (group: Group) => number | null {
  return ({ latency }) => (latency === undefined ? null : (quantileOf(latency, share) ?? null));
}

function ratio(dividend: number | undefined, divisor: number | undefined): number | null {
  return divisor === undefined || divisor === 0 ? null : (dividend ?? 0) / divisor;
}
