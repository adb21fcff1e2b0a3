import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject, LogSinks, LogStore } from 'portcullis/sdk';
import { everyLogStore } from '../logs/every-store.ts';
import { hour, iso, type LogWorld, logWorld, minute, noon, refused, stretch } from '../logs/world.ts';

/** Buckets of a minute: the stretch is two hours, so a point stands at its minute. */
const at = (minutes: number) => noon - 2 * hour + minutes * minute;
const seconds = (ms: number) => ms / 1000;

/** What is seeded: minute, and what differs from a plain success. One US cent is 10,000,000 nano. */
async function seed(world: LogWorld): Promise<void> {
  const cent = 10_000_000;
  world.seed({ createdAt: at(0), costNanoUsd: 2 * cent, totalTokens: 30, durationMs: 100, user: 'ann', traceId: 'a' });
  world.seed({ createdAt: at(0), costNanoUsd: cent, totalTokens: 10, durationMs: 300, user: 'ann', traceId: 'b' });
  world.seed({ createdAt: at(1), status: 500, costNanoUsd: null, totalTokens: null, durationMs: 200, user: 'bob' });
  world.seed({
    createdAt: at(1),
    status: 429,
    costNanoUsd: 0,
    totalTokens: 0,
    durationMs: 400,
    user: null,
    model: 'b',
  });
  world.seed({ createdAt: at(1) + 59_999, status: 429, costNanoUsd: 0, totalTokens: 0, durationMs: 500, user: null });
  world.seed({ createdAt: at(2), retries: 2, costNanoUsd: cent, durationMs: 700, totalTokens: 20, user: 'cy' });
  world.seed({ createdAt: at(2), fallback: true, costNanoUsd: cent, durationMs: 700, totalTokens: 20, user: 'cy' });
  world.seed({ createdAt: at(3), cacheStatus: 'HIT', costNanoUsd: 0, savedNanoUsd: 3 * cent, durationMs: 10 });
  world.seed({ createdAt: at(3), cacheStatus: 'MISS', costNanoUsd: cent, durationMs: 90, totalTokens: 15 });
  world.seed({ createdAt: at(4), cacheStatus: 'SEMANTIC HIT', costNanoUsd: 0, savedNanoUsd: cent, durationMs: 30 });
  // Before the stretch, at its very end, and in another workspace: none of these counts.
  world.seed({ createdAt: at(0) - 1 });
  world.seed({ createdAt: noon });
  world.seed({ createdAt: at(0), workspaceId: 'another' });
  const place = { organisationId: world.control.organisationId, workspaceId: world.workspaceId };
  const common = { ...place, metadata: {}, givenBy: 'key-1' };
  world.logs.feedback([
    { ...common, id: 'f1', traceId: 'a', createdAt: at(5), value: 10, weight: 1 },
    { ...common, id: 'f2', traceId: 'a', createdAt: at(5), value: -5, weight: 0.5 },
    { ...common, id: 'f3', traceId: 'b', createdAt: at(6), value: 10, weight: 1 },
  ]);
}

interface Expected {
  readonly path: string;
  readonly also?: readonly string[];
  readonly summary: JsonObject;
  /** By minute; every other minute has the figures of nothing. */
  readonly points: Readonly<Record<number, JsonObject>>;
  readonly nothing: JsonObject;
}

const table: readonly Expected[] = [
  {
    path: 'requests',
    summary: { total: 10 },
    points: { 0: { total: 2 }, 1: { total: 3 }, 2: { total: 2 }, 3: { total: 2 }, 4: { total: 1 } },
    nothing: { total: 0 },
  },
  {
    path: 'cost',
    summary: { total: 6, avg: 0.6 },
    points: { 0: { total: 3, avg: 1.5 }, 2: { total: 2, avg: 1 }, 3: { total: 1, avg: 0.5 } },
    nothing: { total: 0, avg: 0 },
  },
  {
    path: 'tokens',
    // 30 + 10 + 20 + 20 + 15 + 15 + 15
    summary: { total: 125, avg: 12.5 },
    points: {
      0: { total: 40, avg: 20 },
      2: { total: 40, avg: 20 },
      3: { total: 30, avg: 15 },
      4: { total: 15, avg: 15 },
    },
    nothing: { total: 0, avg: 0 },
  },
  {
    path: 'users',
    summary: { total: 3 },
    points: { 0: { total: 1 }, 1: { total: 1 }, 2: { total: 1 } },
    nothing: { total: 0 },
  },
  {
    path: 'users/requests',
    also: ['users-requests'],
    // Of the ten, the five that name one of three people.
    summary: { total: 5, unique: 3, avg: 1.666667 },
    points: { 0: { avg: 2 }, 1: { avg: 1 }, 2: { avg: 2 } },
    nothing: { avg: 0 },
  },
  { path: 'errors', summary: { total: 3 }, points: { 1: { total: 3 } }, nothing: { total: 0 } },
  {
    path: 'errors/rate',
    also: ['errors-rate'],
    summary: { rate: 30 },
    points: { 1: { rate: 100 } },
    nothing: { rate: 0 },
  },
  {
    path: 'errors/stacks',
    also: ['errors-stack', 'errors-stacks'],
    summary: { total: 3 },
    points: {
      1: {
        stats: [
          { response_status_code: 429, count: 2 },
          { response_status_code: 500, count: 1 },
        ],
      },
    },
    nothing: { stats: [] },
  },
  {
    path: 'requests/rescued',
    also: ['requests-rescued'],
    summary: { retry: 1, fallback: 1 },
    points: { 2: { retry: [{ retry_success_count: 2, count: 1 }], fallback: 1 } },
    nothing: { retry: [], fallback: 0 },
  },
  {
    path: 'cache/latency',
    also: ['cache-latency'],
    summary: {},
    points: { 3: { avg: 10 }, 4: { avg: 30 } },
    nothing: { avg: 0 },
  },
  { path: 'feedbacks', summary: { total: 3 }, points: { 5: { total: 2 }, 6: { total: 1 } }, nothing: { total: 0 } },
  {
    path: 'feedbacks/weighted',
    also: ['feedbacks-weighted'],
    // (10 - 2.5 + 10) / 2.5
    summary: { avg: 7 },
    points: { 5: { avg: 5 }, 6: { avg: 10 } },
    nothing: { avg: 0 },
  },
];

everyLogStore((open) => {
  describe('the graphs', () => {
    const closing: (() => unknown)[] = [];
    let world: LogWorld;
    let logs: (LogStore & LogSinks) | undefined;
    let sinksSettled: () => Promise<void>;
    const get = (path: string, query = stretch) =>
      world.control.ok('GET', `/v1/analytics/graphs/${path}?${query}`, { as: world.key });

    before(async () => {
      const opened = await open();
      logs = opened.logs;
      sinksSettled = opened.settled;
      world = await logWorld({ after: (close) => void closing.push(close as () => unknown) }, { logs });
      closing.unshift(opened.close);
      await seed(world);
      await opened.settled();
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    for (const { path, also = [], summary, points, nothing } of table) {
      it(`${path} shows what was seeded, minute by minute, empty minutes too`, async () => {
        for (const spelling of [path, ...also]) {
          const reply = await get(spelling);
          assert.equal(reply.object, 'analytics-graph');
          assert.deepEqual(reply.summary, summary);
          const expected = Array.from({ length: 120 }, (_, index) => ({
            timestamp: seconds(at(index)),
            ...(points[index] ?? nothing),
          }));
          assert.deepEqual(reply.data_points, expected);
        }
      });
    }

    it('latency shows means exactly, and percentiles as closely as the store keeps them', async () => {
      const { summary, data_points } = await get('latency');
      const { avg, p50, p90, p99 } = summary as Record<string, number>;
      assert.equal(avg, 303);
      near(p50, 200);
      near(p90, 700);
      near(p99, 700);
      const [first, , third] = data_points as Record<string, number>[];
      assert.equal(first?.avg, 200);
      near(first?.p50, 100);
      near(third?.p99, 700);
      assert.deepEqual((data_points as JsonObject[])[50], {
        timestamp: seconds(at(50)),
        avg: 0,
        p50: 0,
        p90: 0,
        p99: 0,
      });
    });

    it('cache/hit-rate adds up what hits have saved, from one bucket to the next', async () => {
      for (const path of ['cache/hit-rate', 'cache-hit-rate']) {
        const { summary, data_points } = await get(path);
        assert.deepEqual(summary, { total: 2, rate: 66.666667 });
        const points = data_points as JsonObject[];
        assert.deepEqual(points[3], {
          timestamp: seconds(at(3)),
          simple_hits: 1,
          semantic_hits: 0,
          rate: 50,
          cumulative_simple_cache_savings: 3,
          cumulative_semantic_cache_savings: 0,
        });
        assert.deepEqual(points[119], {
          timestamp: seconds(at(119)),
          simple_hits: 0,
          semantic_hits: 0,
          rate: 0,
          cumulative_simple_cache_savings: 3,
          cumulative_semantic_cache_savings: 1,
        });
      }
    });

    it('errors/status-codes counts by status, without time', async () => {
      for (const path of ['errors/status-codes', 'errors-status-code']) {
        const { summary, data_points } = await get(path);
        assert.deepEqual(summary, { total_errors: 3, unique_error_codes: 2 });
        assert.deepEqual(data_points, [
          { status_code: 429, count: 2 },
          { status_code: 500, count: 1 },
        ]);
      }
    });

    it('feedbacks/weighted is of one kind of feedback, in its summary as in its points: when it was given', async () => {
      const place = { organisationId: world.control.organisationId, workspaceId: world.workspaceId };
      const late = noon + 5 * 60_000;
      logs?.feedback([
        { ...place, id: 'f4', traceId: 'a', createdAt: late, value: 4, weight: 1, metadata: {}, givenBy: null },
      ]);
      await sinksSettled();
      const [from, to] = [noon + 60_000, noon + 10 * 60_000].map((moment) => new Date(moment).toISOString());
      const reply = await get('feedbacks/weighted', `time_of_generation_min=${from}&time_of_generation_max=${to}`);
      assert.deepEqual(reply.summary, { avg: 4 });
      assert.ok((reply.data_points as JsonObject[]).some(({ avg }) => avg === 4));
    });

    it('feedbacks/scores counts by value, feedbacks/ai-models by model', async () => {
      for (const path of ['feedbacks/scores', 'feedbacks/score']) {
        const { summary, data_points } = await get(path);
        assert.deepEqual(summary, { total: 3 });
        assert.deepEqual(data_points, [
          { score: -5, total: 1 },
          { score: 10, total: 2 },
        ]);
      }
      const { summary, data_points } = await get('feedbacks/ai-models');
      assert.deepEqual(summary, {});
      assert.deepEqual(data_points, [{ ai_model: 'gpt-a', total: 3, avg_weighted_feedback: 7 }]);
    });

    it('the summary of the cache compares hits with the rest', async () => {
      const reply = await world.control.ok('GET', `/v1/analytics/summary/cache?${stretch}`, { as: world.key });
      // The others took 2990 ms in 8 requests: 373.75 on average; hits took 20.
      assert.deepEqual(reply, {
        summary: { hits: 2, avg_latency: 20, total_requests: 10, cache_speedup: 94.648829 },
        object: 'analytics-summary',
      });
    });

    it('have no points where the stretch is empty, and only zeros where nothing happened', async () => {
      const nothing = `time_of_generation_min=${iso(noon + hour)}&time_of_generation_max=${iso(noon + hour)}`;
      assert.deepEqual((await get('requests', nothing)).data_points, []);
      const later = `time_of_generation_min=${iso(noon + hour)}&time_of_generation_max=${iso(noon + 2 * hour)}`;
      const reply = await get('cost', later);
      assert.deepEqual(reply.summary, { total: 0, avg: 0 });
      assert.equal((reply.data_points as JsonObject[]).length, 60);
    });

    for (const [hours, step, first, count] of [
      [3, minute, noon - 3 * hour, 180],
      [15, 5 * minute, noon - 15 * hour, 180],
      [45, 15 * minute, noon - 45 * hour, 180],
      [180, hour, noon - 180 * hour, 180],
      [24 * 30, 24 * hour, noon - 24 * 30 * hour - 12 * hour, 31],
    ] as const) {
      it(`of ${hours} hours have buckets of ${step / minute} minutes that begin at multiples of it`, async () => {
        const query = `time_of_generation_min=${iso(noon - hours * hour)}&time_of_generation_max=${iso(noon)}`;
        const { data_points, summary } = await get('requests', query);
        const points = data_points as { timestamp: number; total: number }[];
        assert.equal(points.length, count);
        assert.equal(points[0]?.timestamp, seconds(first));
        assert.equal((points[1]?.timestamp ?? 0) - (points[0]?.timestamp ?? 0), seconds(step));
        assert.equal(
          points.reduce((sum, { total }) => sum + total, 0),
          (summary as JsonObject).total,
        );
      });
    }

    for (const [what, query, total] of [
      ['status', 'status_code=429,500', 3],
      ['cents, both bounds included', 'cost_min=1&cost_max=1', 4],
      ['tokens', 'total_units_min=20', 3],
      ['provider and model', 'ai_org_model=openai__b', 1],
      ['provider alone', 'ai_org_model=openai', 10],
      ['trace', 'trace_id=a', 1],
      ['mean feedback', 'weighted_feedback_min=6', 1],
      ['key', 'api_key_ids=key-2', 0],
    ] as const) {
      it(`can be narrowed by ${what}`, async () => {
        assert.deepEqual((await get('requests', `${stretch}&${query}`)).summary, { total });
      });
    }

    it('name what is wrong with a question', async () => {
      for (const [query, param] of [
        ['', 'time_of_generation_min'],
        [`time_of_generation_min=${iso(noon)}`, 'time_of_generation_max'],
        [`time_of_generation_min=yesterday&time_of_generation_max=${iso(noon)}`, 'time_of_generation_min'],
        [`time_of_generation_min=${iso(noon)}&time_of_generation_max=${iso(noon - 1)}`, 'time_of_generation_min'],
        [`time_of_generation_min=0&time_of_generation_max=${iso(noon)}`, 'time_of_generation_min'],
        [`${stretch}&status_code=teapot`, 'status_code'],
        [`${stretch}&cost_min=-1`, 'cost_min'],
        [`${stretch}&cost_min=2&cost_max=1`, 'cost_min'],
        ...['0x10', '1e3', '%2B1', '%201', '1%20', '1_000', 'Infinity', '.', '%20'].map(
          (text) => [`${stretch}&total_units_min=${text}`, 'total_units_min'] as const,
        ),
        [`${stretch}&weighted_feedback_max=11`, 'weighted_feedback_max'],
        [`${stretch}&metadata=[]`, 'metadata'],
        [`${stretch}&metadata={"a":{}}`, 'metadata.a'],
        [`${stretch}&ai_model=a&ai_org_model=b`, 'ai_model'],
      ] as const) {
        const path = `/v1/analytics/graphs/requests?${query}`;
        assert.deepEqual(await refused(world.control, 'GET', path, { as: world.key }), [400, param]);
      }
    });
  });
});

/** Stores may keep percentiles in sketches of 2 per cent. */
function near(value: number | undefined, expected: number): void {
  assert.ok(value !== undefined && Math.abs(value - expected) <= expected * 0.02, `${value} is not about ${expected}`);
}
