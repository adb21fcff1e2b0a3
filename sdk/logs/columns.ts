import type { AggregateRow, LogMeasure } from '../contracts/logs.ts';
import { centsOf } from './money.ts';

export type LogValues = AggregateRow['values'];

/** One column of a grouped reply. */
export interface LogColumn {
  /** What it is worked out from. */
  readonly measures: readonly LogMeasure[];
  /** A moment is epoch milliseconds. */
  readonly of: (values: LogValues) => number | null;
  /** What rows are ordered by for it; absent: they cannot be. */
  readonly order?: LogMeasure;
  readonly moment?: true;
}

const value = (values: LogValues, measure: LogMeasure): number => values[measure] ?? 0;

/** A share or a mean; 0 of nothing is 0. Six places. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1e6) / 1e6;
}

/** Per cent of the requests that asked the cache. */
export function hitRate(values: LogValues): number {
  return ratio(100 * (value(values, 'simpleHits') + value(values, 'semanticHits')), value(values, 'cacheLookups'));
}

export const hitMeasures = ['simpleHits', 'semanticHits', 'cacheLookups'] as const satisfies readonly LogMeasure[];

function plain(measure: LogMeasure): LogColumn {
  return { measures: [measure], of: (values) => values[measure] ?? 0, order: measure };
}

function moment(measure: LogMeasure): LogColumn {
  return { measures: [measure], of: (values) => values[measure] ?? null, order: measure, moment: true };
}

function each(measure: LogMeasure): LogColumn {
  return {
    measures: [measure, 'requests'],
    of: (values) => ratio(value(values, measure), value(values, 'requests')),
  };
}

/** The columns that grouped replies can have, by their names (specification: analytics groups). Money is US cents. */
export const logColumns = {
  requests: plain('requests'),
  cost: { ...plain('costNanoUsd'), of: (values) => centsOf(values.costNanoUsd) },
  total_tokens: plain('totalTokens'),
  avg_tokens: each('totalTokens'),
  avg_input_tokens: each('inputTokens'),
  avg_output_tokens: each('outputTokens'),
  avg_latency: plain('avgLatency'),
  p95_latency: plain('p95Latency'),
  p99_latency: plain('p99Latency'),
  success_rate: {
    measures: ['requests', 'errors'],
    of: (values) => ratio(100 * (value(values, 'requests') - value(values, 'errors')), value(values, 'requests')),
  },
  error_count: plain('errors'),
  cache_hit_rate: { measures: hitMeasures, of: hitRate },
  last_seen: moment('lastSeen'),
  first_seen: moment('firstSeen'),
  avg_weighted_feedback: {
    measures: ['weightedFeedback'],
    of: (values) => values.weightedFeedback ?? null,
    order: 'weightedFeedback',
  },
  requests_with_feedback: plain('requestsWithFeedback'),
} as const satisfies Readonly<Record<string, LogColumn>>;

export type LogColumnName = keyof typeof logColumns;
