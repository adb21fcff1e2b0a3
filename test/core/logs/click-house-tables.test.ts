import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clickHouseTables } from '../../../core/logs/clickhouse/schema.ts';
import { clickHouseSettings, embedded } from './click-house.ts';

const daysOf = (logDays: number, metricDays: number) =>
  clickHouseTables({ ...clickHouseSettings, retention: { logDays, metricDays } })
    .map((query) => [...query.matchAll(/INTERVAL (\d+) DAY/g)].map(([, days]) => Number(days)))
    .filter((days) => days.length > 0);

it('drops rows when neither logs nor figures need them, and nothing that is kept for ever', () => {
  assert.deepEqual(daysOf(90, 365), [[90, 90, 90, 365], [90], [90]]);
  assert.deepEqual(daysOf(400, 365), [[400, 400, 400, 400], [400], [400]]);
  assert.deepEqual(daysOf(0, 365), []);
  assert.deepEqual(daysOf(90, 0), [[90, 90, 90], [90], [90]]);
});

it('makes tables that keep everything', async () => {
  const client = embedded();
  const settings = { ...clickHouseSettings, retention: { logDays: 0, metricDays: 0 } };
  for (const query of clickHouseTables(settings)) await client.command({ query });
});
