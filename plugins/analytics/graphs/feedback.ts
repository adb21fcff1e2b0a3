import { type Graph, type GraphParts, starts } from './graph.ts';

/** Graphs of feedback, by when it was given. */
export const feedbackGraphs: readonly Graph[] = [
  {
    paths: ['feedbacks'],
    summary: 'Feedback given',
    async draw(parts) {
      const given = await byBucket(parts);
      const points = starts(parts).map((start) => ({
        timestamp: parts.time(start),
        total: given.get(start)?.total ?? 0,
      }));
      return { summary: { total: points.reduce((sum, { total }) => sum + total, 0) }, points };
    },
  },
  {
    paths: ['feedbacks/scores', 'feedbacks/score', 'feedbacks-scores'],
    summary: 'Feedback by its value',
    async draw({ store, filter }) {
      const given = await store.feedbackBy(filter, 'value');
      return {
        summary: { total: given.reduce((sum, { total }) => sum + total, 0) },
        points: given.map(({ key, total }) => ({ score: Number(key), total })).sort((a, b) => a.score - b.score),
      };
    },
  },
  {
    paths: ['feedbacks/weighted', 'feedbacks-weighted'],
    summary: 'Mean of the feedback, by its weight',
    async draw(parts) {
      const given = await byBucket(parts);
      const [whole] = await parts.store.feedbackBy(parts.filter, 'all');
      return {
        summary: { avg: whole?.weighted ?? 0 },
        points: starts(parts).map((start) => ({
          timestamp: parts.time(start),
          avg: given.get(start)?.weighted ?? 0,
        })),
      };
    },
  },
  {
    paths: ['feedbacks/ai-models', 'feedbacks-ai-models'],
    summary: 'Feedback by model',
    async draw({ store, filter }) {
      const given = await store.feedbackBy(filter, 'model');
      return {
        summary: {},
        points: given
          .map(({ key, total, weighted }) => ({
            ai_model: key === null ? null : String(key),
            total,
            avg_weighted_feedback: weighted ?? 0,
          }))
          .sort((a, b) => b.total - a.total),
      };
    },
  },
];

async function byBucket({ store, filter, stepMs }: GraphParts) {
  const given = await store.feedbackBy(filter, 'bucket', stepMs);
  return new Map(given.map((row) => [Number(row.key), row]));
}
