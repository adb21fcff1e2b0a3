import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMetrics } from '../../../core/telemetry/metrics.ts';
import { parsePrometheus, valueIn } from './prometheus-text.ts';

const shown = async (metrics: ReturnType<typeof createMetrics>) => parsePrometheus(await metrics.text());

describe('the metrics', () => {
  it('count by sets of labels', async () => {
    const metrics = createMetrics();
    const requests = metrics.counter('requests_total', 'Requests', ['provider', 'status']);
    requests.add(['some', '200']);
    requests.add(['some', '200'], 2);
    requests.add(['other', '500'], 0.5);
    const families = await shown(metrics);
    assert.equal(valueIn(families, 'requests_total', { provider: 'some', status: '200' }), 3);
    assert.equal(valueIn(families, 'requests_total', { provider: 'other', status: '500' }), 0.5);
    assert.equal(families.get('requests_total')?.type, 'counter');
  });

  it('sort values into buckets, each with those below it', async () => {
    const metrics = createMetrics();
    const duration = metrics.histogram('duration_seconds', 'Duration', ['stage'], [0.1, 1, 10]);
    for (const value of [0.05, 0.1, 0.5, 5, 50]) duration.observe(['parse'], value);
    const families = await shown(metrics);
    const upTo = ['0.1', '1', '10', '+Inf'].map((le) => valueIn(families, 'duration_seconds_bucket', { le }));
    assert.deepEqual(upTo, [2, 3, 4, 5]);
    assert.equal(valueIn(families, 'duration_seconds_count', { stage: 'parse' }), 5);
    assert.equal(valueIn(families, 'duration_seconds_sum', { stage: 'parse' }), 55.65);
  });

  it('read a gauge when somebody looks; a later one takes its place', async () => {
    const metrics = createMetrics();
    let depth = 1;
    metrics.gauge('queue_depth', 'Depth', ['queue'], () => [{ labels: ['logs'], value: depth }]);
    depth = 7;
    assert.equal(valueIn(await shown(metrics), 'queue_depth', { queue: 'logs' }), 7);
    metrics.gauge('queue_depth', 'Depth', ['queue'], () => [{ labels: ['traces'], value: 2 }]);
    const families = await shown(metrics);
    assert.equal(valueIn(families, 'queue_depth', { queue: 'traces' }), 2);
    assert.equal(families.get('queue_depth')?.samples.length, 1);
  });

  it('show the others when a gauge cannot be read', async () => {
    const metrics = createMetrics();
    metrics.gauge('broken', 'Broken', [], () => {
      throw new Error('gone');
    });
    metrics.gauge('whole', 'Whole', [], () => [{ labels: [], value: 1 }]);
    const families = await shown(metrics);
    assert.deepEqual(families.get('broken')?.samples, []);
    assert.equal(valueIn(families, 'whole'), 1);
  });

  it('give the same metric for the same name, and refuse another under it', () => {
    const metrics = createMetrics();
    const first = metrics.counter('a_total', 'A', ['x']);
    assert.equal(metrics.counter('a_total', 'A', ['x']), first);
    const histogram = metrics.histogram('b_seconds', 'B', [], [1]);
    assert.equal(metrics.histogram('b_seconds', 'B', [], [1]), histogram);
    const refused = [
      () => metrics.counter('a_total', 'A', ['y']),
      () => metrics.gauge('a_total', 'A', ['x'], () => []),
      () => metrics.histogram('b_seconds', 'B', [], [1, 2]),
      () => metrics.counter('A-total', 'A', []),
      () => metrics.counter('process_things', 'A', []),
      () => metrics.counter('c_total', 'A', ['le']),
      () => metrics.counter('c_total', 'A', ['x', 'x']),
      () => metrics.histogram('c_seconds', 'A', [], [2, 1]),
      () => metrics.histogram('c_seconds', 'A', [], []),
    ];
    for (const make of refused) assert.throws(make, { code: 'internal' });
  });

  it('keep sums whole when something that is no amount is added', async () => {
    const metrics = createMetrics();
    const counter = metrics.counter('a_total', 'A', []);
    const histogram = metrics.histogram('b_seconds', 'B', [], [1]);
    counter.add([], 2);
    for (const wrong of [Number.NaN, -1, Number.POSITIVE_INFINITY]) counter.add([], wrong);
    histogram.observe([], Number.NaN);
    const families = await shown(metrics);
    assert.equal(valueIn(families, 'a_total'), 2);
    assert.deepEqual(families.get('b_seconds')?.samples, []);
  });

  it('show the process as well', async () => {
    const families = await shown(createMetrics());
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds'])
      assert.ok(families.has(name), name);
  });

  it('write any label and any help so that a scraper reads it back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 50, unit: 'grapheme' }), async (label) => {
        const metrics = createMetrics();
        metrics.counter('a_total', `Help of ${label}`, ['x']).add([label]);
        assert.equal(valueIn(await shown(metrics), 'a_total', { x: label }), 1);
      }),
      { numRuns: 60, examples: [['\u2028'], ['\u2029'], ['\r'], ['"\\\n']] },
    );
  });

  it('keep at most a thousand sets of labels apart, and lose nothing', async () => {
    const traffic = fc.record({
      paths: fc.integer({ min: 1, max: 2000 }),
      statuses: fc.integer({ min: 1, max: 4 }),
      stride: fc.integer({ min: 1, max: 97 }),
      requests: fc.integer({ min: 1, max: 4000 }),
    });
    await fc.assert(
      fc.asyncProperty(traffic, async ({ paths, statuses, stride, requests }) => {
        const metrics = createMetrics();
        const counter = metrics.counter('a_total', 'A', ['path', 'status']);
        const histogram = metrics.histogram('b_seconds', 'B', ['path'], [1, 5]);
        const calls = Array.from({ length: requests }, (_, index) => ({
          path: (index * stride) % paths,
          status: index % statuses,
          amount: index % 10,
        }));
        for (const { path, status, amount } of calls) {
          counter.add([String(path), String(status)], amount);
          histogram.observe([`${path}-${status}`], amount);
        }
        const families = await shown(metrics);
        const samples = families.get('a_total')?.samples ?? [];
        assert.ok(samples.length <= 1001, `${samples.length} samples`);
        assert.equal(
          samples.reduce((sum, { value }) => sum + value, 0),
          calls.reduce((sum, { amount }) => sum + amount, 0),
        );
        const distinct = new Set(calls.map(({ path, status }) => `${path} ${status}`)).size;
        const rest = samples.filter(({ labels }) => labels.path === 'other' && labels.status === 'other');
        assert.equal(rest.length, distinct > 1000 ? 1 : 0);
        const counts = families.get('b_seconds')?.samples.filter(({ name }) => name === 'b_seconds_count') ?? [];
        assert.ok(counts.length <= 1001);
        assert.equal(
          counts.reduce((sum, { value }) => sum + value, 0),
          calls.length,
        );
      }),
      { numRuns: 40 },
    );
  });

  it('cut a label that is too long', async () => {
    const metrics = createMetrics();
    const counter = metrics.counter('a_total', 'A', ['x']);
    counter.add(['y'.repeat(1000)]);
    counter.add([`${'y'.repeat(200)}z`]);
    assert.equal(valueIn(await shown(metrics), 'a_total', { x: 'y'.repeat(200) }), 2);
  });

  it('bound what a gauge gives', async () => {
    const metrics = createMetrics();
    const all = Array.from({ length: 1500 }, (_, index) => ({ labels: [`n${index}`], value: 1 }));
    metrics.gauge('many', 'Many', ['x'], () => all);
    assert.equal((await shown(metrics)).get('many')?.samples.length, 1001);
  });
});
