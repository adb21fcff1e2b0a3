import { type AggregateRow, type LogMeasure, ratio } from 'portcullis/sdk';
import { type Graph, plainGraph, pointsOf, sums } from './graph.ts';

const n = ({ values }: Pick<AggregateRow, 'values'>, measure: LogMeasure): number => values[measure] ?? 0;

/** Graphs of what went wrong: statuses of 400 and more. */
export const errorGraphs: readonly Graph[] = [
  plainGraph(['errors'], 'Failed requests', ['errors'], (values) => ({ total: values.errors ?? 0 })),
  plainGraph(['errors/rate', 'errors-rate'], 'Failed requests, per cent', ['errors', 'requests'], (values) => ({
    rate: ratio(100 * (values.errors ?? 0), values.requests ?? 0),
  })),
  {
    paths: ['errors/stacks', 'errors-stacks', 'errors-stack'],
    summary: 'Failed requests by status, over time',
    async draw(parts) {
      const [whole] = await sums(parts, [], ['errors']);
      const points = await pointsOf(parts, ['status'], ['errors'], (rows) => ({
        stats: rows
          .filter((row) => n(row, 'errors') > 0)
          .map((row) => ({ response_status_code: Number(row.keys[1]), count: n(row, 'errors') }))
          .sort((a, b) => a.response_status_code - b.response_status_code),
      }));
      return { summary: { total: whole?.values.errors ?? 0 }, points };
    },
  },
  {
    paths: ['errors/status-codes', 'errors-status-codes', 'errors-status-code'],
    summary: 'Failed requests by status',
    async draw(parts) {
      const failed = (await sums(parts, ['status'], ['errors'])).filter((row) => n(row, 'errors') > 0);
      return {
        summary: {
          total_errors: failed.reduce((sum, row) => sum + n(row, 'errors'), 0),
          unique_error_codes: failed.length,
        },
        points: failed
          .map((row) => ({ status_code: Number(row.keys[0]), count: n(row, 'errors') }))
          .sort((a, b) => b.count - a.count || a.status_code - b.status_code),
      };
    },
  },
];
