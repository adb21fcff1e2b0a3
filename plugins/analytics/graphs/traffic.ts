import { centsOf, type LogMeasure, ratio } from 'portcullis/sdk';
import { type Graph, plainGraph, pointsOf, sums } from './graph.ts';

type Values = Readonly<Partial<Record<LogMeasure, number | null>>>;

const n = (values: Values, measure: LogMeasure): number => values[measure] ?? 0;

/** Graphs of traffic, money, time and people. Money is US cents. */
export const trafficGraphs: readonly Graph[] = [
  plainGraph(['requests'], 'Requests', ['requests'], (values) => ({ total: n(values, 'requests') })),
  plainGraph(['cost'], 'Cost in US cents', ['costNanoUsd', 'requests'], (values) => ({
    total: centsOf(values.costNanoUsd),
    avg: ratio(centsOf(values.costNanoUsd), n(values, 'requests')),
  })),
  plainGraph(
    ['latency'],
    'Milliseconds that requests took',
    ['avgLatency', 'p50Latency', 'p90Latency', 'p99Latency'],
    (values) => ({
      avg: n(values, 'avgLatency'),
      p50: n(values, 'p50Latency'),
      p90: n(values, 'p90Latency'),
      p99: n(values, 'p99Latency'),
    }),
  ),
  plainGraph(['tokens'], 'Tokens', ['totalTokens', 'requests'], (values) => ({
    total: n(values, 'totalTokens'),
    avg: ratio(n(values, 'totalTokens'), n(values, 'requests')),
  })),
  plainGraph(['users'], 'Distinct users', ['users'], (values) => ({ total: n(values, 'users') })),
  plainGraph(
    ['users/requests', 'users-requests'],
    'Requests that name a user, and how many each has',
    ['userRequests', 'users'],
    (values) => ({ total: n(values, 'userRequests'), unique: n(values, 'users'), avg: ofUser(values) }),
    (values) => ({ avg: ofUser(values) }),
  ),
  {
    paths: ['requests/rescued', 'requests-rescued'],
    summary: 'Requests that a retry or a fallback has rescued',
    async draw(parts) {
      const measures = ['rescuedByRetry', 'rescuedByFallback'] as const;
      const [whole] = await sums(parts, [], measures);
      const points = await pointsOf(parts, ['retries'], measures, (rows) => ({
        retry: rows
          .filter(({ values }) => n(values, 'rescuedByRetry') > 0)
          .map(({ keys: [, retries], values }) => ({
            retry_success_count: Number(retries),
            count: n(values, 'rescuedByRetry'),
          }))
          .sort((a, b) => a.retry_success_count - b.retry_success_count),
        fallback: rows.reduce((sum, { values }) => sum + n(values, 'rescuedByFallback'), 0),
      }));
      const values = whole?.values ?? {};
      return { summary: { retry: n(values, 'rescuedByRetry'), fallback: n(values, 'rescuedByFallback') }, points };
    },
  },
];

function ofUser(values: Values): number {
  return ratio(n(values, 'userRequests'), n(values, 'users'));
}
