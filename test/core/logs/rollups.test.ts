import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type AggregateQuery,
  cacheStatuses,
  type LogFilter,
  type LogRow,
  logDimensions,
  logMeasures,
} from 'portcullis/sdk';
import { packBatch } from '../../../core/logs/batch-writer.ts';
import type { LogEngine } from '../../../core/logs/engine.ts';
import {
  encodeSketch,
  mergeEncoded,
  nearestRank,
  quantileOf,
  type Sketch,
  sketchBucket,
} from '../../../core/logs/sketch.ts';
import { sqlEngine } from '../../../core/logs/sql/engine.ts';
import type { SqlDatabase } from '../../../core/logs/sql/sql.ts';
import { openSqlite } from '../../../core/logs/sql/sqlite.ts';
import { aggregateByHand } from './by-hand.ts';
import { hour, logRow, start } from './rows.ts';
import { freshFile } from './stores.ts';

const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
const rowParts = fc.record({
  workspaceId: some(['ws-1', 'ws-2']),
  createdAt: fc.integer({ min: start, max: start + 5 * hour }),
  status: some([200, 200, 429, 500]),
  provider: some(['openai', 'anthropic', null]),
  model: some(['a', 'b', '', null]),
  keyId: some(['key-1', 'key-2', null]),
  configSlug: some(['pc-1', null]),
  providerSlug: some(['main', 'spare', null]),
  promptSlug: some(['greeting', null]),
  inputTokens: fc.option(fc.nat(5000)),
  outputTokens: fc.option(fc.nat(5000)),
  totalTokens: fc.option(fc.nat(10_000)),
  costNanoUsd: fc.option(fc.nat(1_000_000_000)),
  savedNanoUsd: fc.option(fc.nat(1_000_000)),
  retries: fc.integer({ min: -1, max: 5 }),
  fallback: fc.boolean(),
  cacheStatus: fc.option(some(cacheStatuses)),
  durationMs: fc.double({ min: 0.01, max: 600_000, noNaN: true }),
  user: some(['ann', 'bob', 'cid', null]),
  metadata: fc.dictionary(some(['team', 'stage']), some(['x', 'y', 'ö'])),
});
const filterParts = fc.record(
  {
    workspaceIds: some([['ws-1'], ['ws-1', 'ws-2']]),
    status: some([[200], [429, 500]]),
    models: some([[{ model: 'a' }], [{ provider: 'openai' }, { model: 'b' }]]),
    keyIds: some([['key-1']]),
    users: some([['ann', 'bob']]),
    metadata: some([{ team: ['x'] }, { stage: ['x', 'ö'] }]),
    totalTokens: some([{ min: 1000 }, { min: 10, max: 8000 }]),
    costNanoUsd: some([{ max: 500_000_000 }]),
  },
  { requiredKeys: [] },
);
const dimension = some([...logDimensions, 'metadata:team'] as const);

const measures = logMeasures.filter((measure) => !/eedback/.test(measure));

describe('rollups', () => {
  let database: SqlDatabase;
  let engine: LogEngine;
  let organisations = 0;
  before(async () => {
    database = openSqlite(freshFile(), false);
    // Some rows wait for their rollups at all times.
    engine = await sqlEngine(database, { bodies: 'row', settleRows: 7 }, false);
  });
  after(() => engine.close());

  it('give what one would count by hand, in any batches, ranges, filters and groups', async () => {
    const asked = fc.record({
      filter: filterParts,
      by: fc.oneof(fc.uniqueArray(dimension, { maxLength: 2 }), fc.constant(['bucket'] as const)),
      hours: some([0.5, 1, 2, 24]),
      from: fc.integer({ min: start - hour, max: start + 3 * hour }),
      to: fc.integer({ min: start + hour, max: start + 6 * hour }),
    });
    const rows = fc.array(fc.array(rowParts, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rows, fc.array(asked, { minLength: 5, maxLength: 5 }), async (batches, questions) => {
        organisations += 1;
        const organisationId = `org-${organisations}`;
        const kept: LogRow[] = [];
        for (const batch of batches) {
          const written = batch.map((parts) => logRow({ ...parts, organisationId }));
          kept.push(...written);
          await engine.write(packBatch(written.map((row) => ({ row, bodies: undefined }))));
        }
        for (const { filter, by, hours, from, to } of questions) {
          const whole: LogFilter = { ...filter, organisationId, from, to };
          const query: AggregateQuery = { filter: whole, by, stepMs: hours * hour, measures, limit: 1000, offset: 0 };
          check(await engine.aggregate(query), aggregateByHand(query, { rows: kept, feedback: [] }));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('answer what analytics ask of whole hours without a look at the requests', async () => {
    const asked: string[] = [];
    const listening: SqlDatabase = {
      ...database,
      all: (sql, values) => {
        asked.push(sql);
        return database.all(sql, values);
      },
      snapshot: (work) => work(listening),
    };
    const over = await sqlEngine(listening, { bodies: 'row' }, true);
    const filter = { organisationId: 'org-1', from: start, to: start + 48 * hour };
    for (const by of [
      ['bucket'],
      ['status', 'bucket'],
      ['provider', 'model'],
      ['workspaceId'],
      ['keyId'],
      ['configSlug'],
    ] as const) {
      const kinds = measures.filter((measure) => measure !== 'users' && measure !== 'userRequests');
      await over.aggregate({ filter, by, stepMs: hour, measures: kinds, limit: 10, offset: 0 });
    }
    const people = ['users', 'userRequests'] as const;
    await over.aggregate({ filter, by: ['bucket'], stepMs: hour, measures: people, limit: 10, offset: 0 });
    await over.aggregate({ filter, by: ['user'], measures: ['requests', 'costNanoUsd'], limit: 10, offset: 0 });
    await over.aggregate({
      filter,
      by: ['metadata:team'],
      measures: ['requests', 'costNanoUsd'],
      limit: 10,
      offset: 0,
    });
    assert.deepEqual(
      // But for the last ones, which the rollups do not have yet.
      asked.filter((sql) => /\bFROM logs l (?!NOT INDEXED WHERE l\.seq > \?)/.test(sql)),
      [],
    );
    assert.ok(asked.length > 9);
  });

  it('are not needed for requests of a size by their time: the index has them in order', async () => {
    const plans: string[] = [];
    const explaining: SqlDatabase = {
      ...database,
      all: async (sql, values) => {
        const steps = await database.all(`EXPLAIN QUERY PLAN ${sql}`, values);
        plans.push(...steps.map(({ detail }) => String(detail)));
        return database.all(sql, values);
      },
      snapshot: (work) => work(explaining),
    };
    const over = await sqlEngine(explaining, { bodies: 'row' }, true);
    const stretch = { organisationId: 'org-1', from: start + 1, to: start + 48 * hour + 1 };
    for (const narrowing of [{}, { workspaceIds: ['ws-1'] }]) {
      const filter = { ...stretch, ...narrowing, totalTokens: { min: 100 } };
      const measures = ['requests', 'totalTokens', 'costNanoUsd'] as const;
      await over.aggregate({ filter, by: ['bucket'], stepMs: hour, measures, limit: 10, offset: 0 });
    }
    assert.equal(plans.filter((step) => step.includes('USING COVERING INDEX')).length, 2 * 49);
    assert.ok(!plans.some((step) => step.includes('TEMP B-TREE')));
  });

  it('are not asked by a scan of the table: every query of a stretch goes by an index', async () => {
    const filter = { organisationId: 'org-1', from: start + 1, to: start + 48 * hour + 1 };
    const plans: string[] = [];
    const explaining: SqlDatabase = {
      ...database,
      all: async (sql, values) => {
        const steps = await database.all(`EXPLAIN QUERY PLAN ${sql}`, values);
        const details = steps.map(({ detail }) => String(detail));
        // What a query made itself is scanned: it holds what an index has found.
        const made = details.flatMap((detail) => /^(?:MATERIALIZE|CO-ROUTINE) (\w+)/.exec(detail)?.[1] ?? []);
        plans.push(...details.filter((detail) => !made.some((name) => detail === `SCAN ${name}`)));
        return database.all(sql, values);
      },
      snapshot: (work) => work(explaining),
    };
    const over = await sqlEngine(explaining, { bodies: 'row' }, true);
    for (const narrowing of [
      {},
      { workspaceIds: ['ws-1'] },
      { traceIds: ['trace-1'] },
      { users: ['ann'] },
      { metadata: { team: ['x'] } },
    ]) {
      const query = {
        filter: { ...filter, ...narrowing },
        by: ['bucket'] as const,
        stepMs: hour,
        limit: 10,
        offset: 0,
      };
      await over.aggregate({ ...query, measures: logMeasures });
      await over.list(query.filter, { limit: 50, offset: 0 });
    }
    assert.ok(plans.length > 20);
    assert.deepEqual(
      plans.filter((step) => /^SCAN (l|f|m|logs|feedback|rollup)\b/.test(step)),
      [],
    );
  });
});

type Answer = Awaited<ReturnType<LogEngine['aggregate']>>;

function check({ total, rows }: Answer, expected: ReturnType<typeof aggregateByHand>): void {
  assert.equal(total, expected.length);
  const found = new Map(rows.map(({ keys, values }) => [JSON.stringify(keys), values]));
  for (const { keys, values } of expected) {
    for (const measure of measures) {
      const value = found.get(JSON.stringify(keys))?.[measure];
      const wanted = values[measure] ?? null;
      if (typeof value !== 'number' || wanted === null) assert.equal(value, wanted, `${keys} ${measure}`);
      else {
        const slack = /^p\d/.test(measure) ? 0.0101 : 1e-9;
        assert.ok(
          Math.abs(value - wanted) <= slack * Math.abs(wanted) + 1e-6,
          `${keys} ${measure}: ${value}, ${wanted}`,
        );
      }
    }
  }
}

describe('a sketch of durations', () => {
  it('is within one percent at every quantile, and the same however it was put together', () => {
    const durations = fc.array(fc.double({ min: 0.001, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(durations, fc.nat(300), fc.double({ min: 0, max: 1, noNaN: true }), (values, at, share) => {
        const merged: Sketch = new Map();
        for (const part of [values.slice(0, at), values.slice(at)]) {
          const sketch: Sketch = new Map();
          for (const value of part) sketch.set(sketchBucket(value), (sketch.get(sketchBucket(value)) ?? 0) + 1);
          mergeEncoded(merged, encodeSketch(sketch));
        }
        const exact = values.toSorted((a, b) => a - b)[nearestRank(share, values.length)] ?? 0;
        const found = quantileOf(merged, share) ?? 0;
        assert.ok(Math.abs(found - exact) <= 0.0101 * exact, `${found}, exactly ${exact}`);
      }),
    );
    assert.equal(quantileOf(new Map(), 0.5), undefined);
  });

  it('counts the slowest of a few', () => {
    assert.deepEqual(
      [nearestRank(0.99, 2), nearestRank(0.99, 5), nearestRank(0.99, 100), nearestRank(0.99, 101)],
      [1, 4, 98, 99],
    );
    assert.deepEqual(
      [nearestRank(0.5, 1), nearestRank(0.5, 2), nearestRank(0.5, 3), nearestRank(0.95, 20)],
      [0, 0, 1, 18],
    );
    assert.deepEqual([nearestRank(0, 3), nearestRank(1, 3)], [0, 2]);
  });
});
