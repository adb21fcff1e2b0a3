import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type AggregateQuery,
  GatewayError,
  type LogEntry,
  type LogFilter,
  type LogRow,
  logMeasures,
} from 'portcullis/sdk';
import { aggregateByHand, fits } from './by-hand.ts';
import { bodiesOf, feedbackRow, hour, logRow, start } from './rows.ts';
import { onEachLogStore } from './stores.ts';
import { all, groupings, narrowings, variety } from './variety.ts';

function plain(row: LogRow): LogEntry {
  return { row, bodies: undefined };
}

function page(filter: LogFilter) {
  return [filter, { limit: 100, offset: 0 }] as const;
}

onEachLogStore((open) => {
  it('gives back a request with its bodies as they were', async () => {
    const { store, write } = await open();
    const row = logRow({
      metadata: { team: 'blü', note: 'a "quoted" \\ thing' },
      guardrails: [{ id: 'pg-1', verdict: true }],
      parentSpanId: 'aaaaaaaaaaaaaaaa',
      savedNanoUsd: 12,
      configVersionId: 'version-1',
      promptVersionId: 'version-2',
      sentAs: 'model,usage',
      replyUntouched: true,
      durationMs: 0.25,
      path: '/v1/proxy/ünïcode?q=\u0000x',
    });
    await write([{ row, bodies: bodiesOf('{"text":"é 😀"}', Buffer.from('data: [DONE]\n\n')) }]);
    const found = await store.find('org-1', row.id);
    assert.deepEqual(found, { row, bodies: bodiesOf('{"text":"é 😀"}', 'data: [DONE]\n\n') });
    const other = logRow();
    await write([plain(other)]);
    assert.deepEqual(await store.find('org-1', other.id), plain(other));
  });

  it('finds nothing of another organisation, and nothing that is not there', async () => {
    const { store, write } = await open();
    const row = logRow();
    await write([plain(row)]);
    assert.equal(await store.find('org-2', row.id), undefined);
    assert.equal(await store.find('org-1', 'nothing'), undefined);
    assert.equal((await store.list(...page({ ...all, organisationId: 'org-2' }))).total, 0);
    assert.deepEqual(
      (
        await store.aggregate({
          filter: { ...all, organisationId: 'org-2' },
          by: ['model'],
          measures: ['requests'],
          limit: 9,
          offset: 0,
        })
      ).rows,
      [],
    );
  });

  it('keeps and counts a request once that comes twice', async () => {
    const { store, write } = await open();
    const entry = { row: logRow({ metadata: { team: 'blue' }, user: 'ann' }), bodies: bodiesOf('a', 'b') };
    const given = feedbackRow({ traceId: entry.row.traceId });
    await write([entry, entry], [given]);
    await write([entry, plain(logRow())], [given]);
    const { rows } = await store.aggregate({
      filter: all,
      by: ['metadata:team'],
      measures: ['requests', 'totalTokens', 'feedbacks'],
      limit: 9,
      offset: 0,
    });
    assert.deepEqual(rows.find(({ keys }) => keys[0] === 'blue')?.values, {
      requests: 1,
      totalTokens: 150,
      feedbacks: 1,
    });
    assert.equal((await store.list(...page(all))).total, 2);
  });

  it('lists the newest first, by pages, with bodies only where they are asked for', async () => {
    const { store, write } = await open();
    const entries = Array.from({ length: 7 }, (_, index) => ({
      row: logRow({ createdAt: start + index * 1000 }),
      bodies: bodiesOf(`question ${index}`, `answer ${index}`),
    }));
    await write(entries);
    const ids = entries.map(({ row }) => row.id).reverse();
    const first = await store.list(all, { limit: 3, offset: 0 });
    assert.equal(first.total, 7);
    assert.deepEqual(
      first.entries.map(({ row }) => row.id),
      ids.slice(0, 3),
    );
    assert.deepEqual(
      first.entries.map(({ bodies }) => bodies),
      [undefined, undefined, undefined],
    );
    const last = await store.list(all, { limit: 3, offset: 6, bodies: true });
    assert.deepEqual(last.entries, [entries[0]]);
  });

  it('narrows by each part of the filter', async () => {
    const { store, write } = await open();
    const kept = variety();
    await write(kept.rows.map(plain), kept.feedback);
    const [one] = kept.rows;
    for (const [name, narrowing] of Object.entries({ ...narrowings, traces: { traceIds: [one?.traceId ?? ''] } })) {
      const filter = { ...all, ...narrowing };
      const expected = kept.rows.filter((row) => fits(row, filter, kept)).sort((a, b) => b.createdAt - a.createdAt);
      const { total, entries } = await store.list(...page(filter));
      assert.deepEqual(
        entries.map(({ row }) => row.id),
        expected.map(({ id }) => id),
        name,
      );
      assert.equal(total, expected.length, name);
    }
  });

  it('aggregates as one would by hand, whatever is filtered and grouped by', async () => {
    const { store, write } = await open();
    const kept = variety();
    await write(kept.rows.map(plain), kept.feedback);
    for (const [name, narrowing] of Object.entries(narrowings)) {
      for (const grouping of groupings) {
        const query = { filter: { ...all, ...narrowing }, ...grouping, measures: logMeasures, limit: 100, offset: 0 };
        const { total, rows } = await store.aggregate(query);
        const expected = aggregateByHand(query, kept);
        const what = `${name}, by ${grouping.by.join(' and ') || 'nothing'}`;
        assert.equal(total, expected.length, what);
        for (const group of expected) {
          const found = rows.find(({ keys }) => JSON.stringify(keys) === JSON.stringify(group.keys));
          for (const measure of logMeasures)
            close(found?.values[measure], group.values[measure], `${what}: ${group.keys} ${measure}`);
        }
      }
    }
  });

  it('orders groups and gives them by pages', async () => {
    const { store, write } = await open();
    await write(
      ['a', 'b', 'b', 'c', 'c', 'c'].map((model, index) => plain(logRow({ model, costNanoUsd: 100 - index }))),
    );
    const ask = (given: Partial<AggregateQuery>) =>
      store.aggregate({ filter: all, by: ['model'], measures: ['requests'], limit: 10, offset: 0, ...given });
    const keys = async (given: Partial<AggregateQuery>) => (await ask(given)).rows.map((row) => row.keys[0]);
    assert.deepEqual(await keys({}), ['c', 'b', 'a']);
    assert.deepEqual(await keys({ orderBy: { measure: 'requests', descending: false } }), ['a', 'b', 'c']);
    assert.deepEqual(await keys({ orderBy: { measure: 'costNanoUsd', descending: false } }), ['a', 'b', 'c']);
    assert.deepEqual(await ask({ limit: 1, offset: 1 }), {
      total: 3,
      rows: [{ keys: ['b'], values: { requests: 2 } }],
    });
    assert.deepEqual(await keys({ by: ['bucket'], stepMs: hour }), [start]);
  });

  it('refuses a step that is no whole number of minutes, and more than two dimensions', async () => {
    const { store } = await open();
    const query: AggregateQuery = { filter: all, by: ['bucket'], measures: ['requests'], limit: 1, offset: 0 };
    for (const stepMs of [undefined, 0, 1000, 90_000.5]) {
      await assert.rejects(
        store.aggregate(stepMs === undefined ? query : { ...query, stepMs }),
        (error) => GatewayError.is(error) && error.code === 'bad_request' && error.param === 'stepMs',
      );
    }
    await assert.rejects(store.aggregate({ ...query, by: ['model', 'status', 'user'] }), { param: 'by' });
  });

  it('gives feedback by value, by time and by model', async () => {
    const { store, write } = await open();
    const kept = variety();
    await write(kept.rows.map(plain), kept.feedback);
    assert.deepEqual(await store.feedbackBy(all, 'value'), [
      { key: -10, total: 1, weighted: -10 },
      { key: -2, total: 1, weighted: -2 },
      { key: 3, total: 1, weighted: null },
      { key: 5, total: 2, weighted: 5 },
      { key: 9, total: 1, weighted: 9 },
    ]);
    assert.deepEqual(await store.feedbackBy({ ...all, from: start + hour }, 'bucket', hour), [
      { key: start + 2 * hour, total: 2, weighted: -10 },
      { key: start + 5 * hour, total: 1, weighted: 9 },
    ]);
    const byModel = new Map(
      (await store.feedbackBy(all, 'model')).map(({ key, total, weighted }) => [key, [total, weighted]]),
    );
    assert.deepEqual(byModel.get('gpt-4o'), [2, -10]);
    assert.deepEqual(byModel.get('gpt-4o-mini'), [2, 4 / 1.5]);
    assert.deepEqual(
      byModel.get(null),
      [2, 7],
      'of the model of a trace of the same name in another workspace nothing is told',
    );
    assert.deepEqual(await store.feedbackBy({ ...all, status: [500] }, 'value'), [
      { key: -10, total: 1, weighted: -10 },
      { key: 3, total: 1, weighted: null },
    ]);
    assert.deepEqual(await store.feedbackBy({ ...all, workspaceIds: ['ws-2'] }, 'value'), [
      { key: 5, total: 1, weighted: 5 },
      { key: 9, total: 1, weighted: 9 },
    ]);
    assert.deepEqual(await store.feedbackBy({ ...all, workspaceIds: ['ws-1'] }, 'all'), [
      { key: null, total: 4, weighted: -6 / 2.5 },
    ]);
  });

  it('changes a feedback within its scope alone', async () => {
    const { store, write } = await open();
    const row = logRow();
    const given = feedbackRow({ traceId: row.traceId, value: 5 });
    await write([plain(row)], [given]);
    const scope = { organisationId: 'org-1', workspaceId: 'ws-1' };
    assert.equal(await store.updateFeedback({ organisationId: 'org-2' }, given.id, { value: 1 }), false);
    assert.equal(await store.updateFeedback({ ...scope, workspaceId: 'ws-2' }, given.id, { value: 1 }), false);
    assert.equal(await store.updateFeedback(scope, 'nothing', { value: 1 }), false);
    assert.equal(
      await store.updateFeedback(scope, given.id, { value: -3, weight: 0.5, metadata: { by: 'ann' } }),
      true,
    );
    assert.equal(await store.updateFeedback({ organisationId: 'org-1' }, given.id, { value: -3 }), true);
    assert.deepEqual(await store.feedbackBy(all, 'value'), [{ key: -3, total: 1, weighted: -3 }]);
    const { rows } = await store.aggregate({
      filter: all,
      by: [],
      measures: ['feedbacks', 'weightedFeedback'],
      limit: 1,
      offset: 0,
    });
    assert.deepEqual(rows[0]?.values, { feedbacks: 1, weightedFeedback: -3 });
  });

  it('prunes requests, and keeps their metrics for longer', async () => {
    const { store, write } = await open();
    const old = {
      row: logRow({ createdAt: start, metadata: { team: 'blue' }, user: 'ann' }),
      bodies: bodiesOf('a', 'b'),
    };
    const young = {
      row: logRow({ createdAt: start + 5 * hour, metadata: { team: 'blue' } }),
      bodies: bodiesOf('c', 'd'),
    };
    await write([old, young, plain(logRow({ createdAt: start, organisationId: 'org-2' }))]);
    assert.equal(await store.prune({ logs: start + hour, metrics: start - hour }), 2);
    assert.equal(await store.find('org-1', old.row.id), undefined);
    assert.deepEqual(await store.find('org-1', young.row.id), young);
    assert.deepEqual(
      (await store.list(...page(all))).entries.map(({ row }) => row.id),
      [young.row.id],
    );
    const count = async () =>
      (await store.aggregate({ filter: all, by: [], measures: ['requests'], limit: 1, offset: 0 })).rows[0]?.values
        .requests;
    assert.equal(await count(), 2);
    assert.equal(await store.prune({ logs: start + hour, metrics: start + hour }), 0);
    assert.equal(await count(), 1);
  });
});

/** Sums are exact, quantiles within their one percent. */
function close(found: number | null | undefined, expected: number | null | undefined, what: string): void {
  if (typeof found !== 'number' || typeof expected !== 'number') {
    assert.equal(found, expected, what);
    return;
  }
  const slack = /p\d+Latency$/.test(what) ? 0.0101 : 1e-9;
  assert.ok(Math.abs(found - expected) <= slack * Math.abs(expected) + 1e-9, `${what}: ${found}, by hand ${expected}`);
}
