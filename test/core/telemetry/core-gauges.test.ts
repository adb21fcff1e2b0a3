import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openStore } from '../../../core/store/store.ts';
import { type CoreSources, registerCoreGauges } from '../../../core/telemetry/core-gauges.ts';
import { createMetrics } from '../../../core/telemetry/metrics.ts';
import { storePools } from '../../../core/telemetry/store-pools.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { parsePrometheus, valueIn } from './prometheus-text.ts';

const sources: CoreSources = {
  inFlight: () => 4,
  sandbox: () => ({ processes: 2, runs: 1, queued: 3, kills: 5, paused: 6 }),
  breakers: () => ({ closed: 7, open: 1, halfOpen: 2 }),
  store: () => [{ pool: 'writer', used: 3, free: 5, waiting: 8 }],
};

it('what the mechanisms say about themselves is shown when somebody looks', async () => {
  const metrics = createMetrics();
  registerCoreGauges(metrics, sources);
  const families = parsePrometheus(await metrics.text());
  const expected: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ['portcullis_requests_in_flight', {}, 4],
    ['portcullis_sandbox_processes', {}, 2],
    ['portcullis_sandbox_runs', {}, 1],
    ['portcullis_sandbox_queue_depth', {}, 3],
    ['portcullis_sandbox_kills', {}, 5],
    ['portcullis_sandbox_paused_programs', {}, 6],
    ['portcullis_breakers', { state: 'open' }, 1],
    ['portcullis_breakers', { state: 'half_open' }, 2],
    ['portcullis_store_connections', { pool: 'writer', state: 'used' }, 3],
    ['portcullis_store_connections', { pool: 'writer', state: 'free' }, 5],
    ['portcullis_store_waiting', { pool: 'writer' }, 8],
  ];
  for (const [name, labels, value] of expected) assert.equal(valueIn(families, name, labels), value, name);
});

it('mechanisms that are not there are not shown', async () => {
  const metrics = createMetrics();
  registerCoreGauges(metrics, {});
  const names = [...parsePrometheus(await metrics.text()).keys()];
  assert.deepEqual(
    names.filter((name) => name.startsWith('portcullis_')),
    [],
  );
});

it('the connections of a real store are counted while they are used', async (t) => {
  const store = await openStore({ kind: 'sqlite', file: ':memory:' }, recordingLog().log);
  t.after(() => store.close());
  assert.deepEqual(storePools(store), [{ pool: 'writer', used: 0, free: 1, waiting: 0 }]);
  await store.transaction(async () => {
    const waiting = store.db.raw('select 1').then(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(storePools(store), [{ pool: 'writer', used: 1, free: 0, waiting: 1 }]);
    // It ends behind the transaction.
    void waiting;
  });
});
