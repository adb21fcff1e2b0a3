import {
  type AggregateRow,
  centsOf,
  hitMeasures,
  hitRate,
  type JsonObject,
  type LogMeasure,
  ratio,
} from 'portcullis/sdk';
import { type Graph, type GraphParts, pointsOf, sums } from './graph.ts';

/** Graphs of the cache. Rates are per cent of the requests that asked it. */
export const cacheGraphs: readonly Graph[] = [
  {
    paths: ['cache/hit-rate', 'cache-hit-rate'],
    summary: 'How often the cache had an answer, and what it has saved so far, in US cents',
    async draw(parts) {
      const [whole] = await sums(parts, [], hitMeasures);
      const saved = { simple: 0, semantic: 0 };
      const points = await pointsOf(parts, ['cacheStatus'], [...hitMeasures, 'cacheSavingsNanoUsd'], (rows) => {
        const values = added(rows, hitMeasures);
        saved.simple += savingsOf(rows, 'HIT');
        saved.semantic += savingsOf(rows, 'SEMANTIC HIT');
        return {
          simple_hits: values.simpleHits ?? 0,
          semantic_hits: values.semanticHits ?? 0,
          rate: hitRate(values),
          cumulative_simple_cache_savings: centsOf(saved.simple),
          cumulative_semantic_cache_savings: centsOf(saved.semantic),
        };
      });
      const values = whole?.values ?? {};
      return {
        summary: { total: (values.simpleHits ?? 0) + (values.semanticHits ?? 0), rate: hitRate(values) },
        points,
      };
    },
  },
  {
    paths: ['cache/latency', 'cache-latency'],
    summary: 'Milliseconds that answers out of the cache took',
    draw: async (parts) => ({
      summary: {},
      points: await pointsOf(parts, [], ['cacheLatency'], ([row]) => ({ avg: row?.values.cacheLatency ?? 0 })),
    }),
  },
];

/** `speedup`: by how many per cent answers out of the cache were faster than the others. */
export async function cacheSummary(parts: GraphParts): Promise<JsonObject> {
  const [whole] = await sums(parts, [], [...hitMeasures, 'requests', 'cacheLatency', 'avgLatency']);
  const { simpleHits, semanticHits, requests, cacheLatency, avgLatency } = whole?.values ?? {};
  const hits = (simpleHits ?? 0) + (semanticHits ?? 0);
  const others = (requests ?? 0) - hits;
  const cached = cacheLatency ?? 0;
  const uncached = others === 0 ? 0 : ((avgLatency ?? 0) * (requests ?? 0) - cached * hits) / others;
  return {
    hits,
    avg_latency: cached,
    total_requests: requests ?? 0,
    cache_speedup: hits === 0 || uncached <= 0 ? 0 : Math.max(0, ratio(100 * (uncached - cached), uncached)),
  };
}

function added(rows: readonly AggregateRow[], measures: readonly LogMeasure[]): AggregateRow['values'] {
  return Object.fromEntries(
    measures.map((measure) => [measure, rows.reduce((sum, { values }) => sum + (values[measure] ?? 0), 0)]),
  );
}

function savingsOf(rows: readonly AggregateRow[], status: string): number {
  return rows.find(({ keys }) => keys[1] === status)?.values.cacheSavingsNanoUsd ?? 0;
}
