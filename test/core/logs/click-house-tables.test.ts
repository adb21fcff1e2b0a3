import assert from 'node:assert/strict';
import { it } from 'node:test';
import { packBatch } from '../../../core/logs/batch-writer.ts';
import { clickHouseEngine } from '../../../core/logs/clickhouse/engine.ts';
import { clickHouseTables } from '../../../core/logs/clickhouse/schema.ts';
import { clickHouseSettings, embedded } from './click-house.ts';
import { logRow } from './rows.ts';

const daysOf = (logDays: number, metricDays: number) =>
  clickHouseTables({ ...clickHouseSettings, retention: { logDays, metricDays } })
    .map((query) => [...query.matchAll(/toIntervalDay\((\d+)\)/g)].map(([, days]) => Number(days)))
    .filter((days) => days.length > 0);

const client = embedded();

it('drops rows when neither logs nor figures need them, and nothing that is kept for ever', () => {
  assert.deepEqual(daysOf(90, 365), [[90, 90, 90, 365], [90], [90]]);
  assert.deepEqual(daysOf(400, 365), [[400, 400, 400, 400], [400], [400]]);
  assert.deepEqual(daysOf(0, 365), []);
  assert.deepEqual(daysOf(90, 0), [[90, 90, 90], [90], [90]]);
});

it('gives tables of an earlier gateway the columns that they do not have', async () => {
  const database = 'earlier';
  await client.command({ query: `CREATE DATABASE ${database}` });
  await client.command({ query: `USE ${database}` });
  const open = () => clickHouseEngine(client, clickHouseSettings, { bodies: 'row' });
  const before = await open();
  const row = logRow();
  await before.write(packBatch([{ row, bodies: undefined }]));
  const later = ['prompt_version', 'config_version_id', 'prompt_version_id', 'sent_as', 'reply_untouched'];
  for (const column of later) await client.command({ query: `ALTER TABLE logs DROP COLUMN ${column}` });
  const after = await open();
  assert.deepEqual((await after.find('org-1', row.id))?.row, row);
  const whole = logRow({ configVersionId: 'v', sentAs: 'same', replyUntouched: true });
  await after.write(packBatch([{ row: whole, bodies: undefined }]));
  assert.deepEqual((await after.find('org-1', whole.id))?.row, whole);
  await client.command({ query: 'USE default' });
});

it('keeps what is there for as long as the settings say by now', async () => {
  const open = (logDays: number, metricDays: number) =>
    clickHouseEngine(client, { ...clickHouseSettings, retention: { logDays, metricDays } }, { bodies: 'row' });
  const kept = async () => {
    const found = await client.query({
      query: "SELECT create_table_query AS made FROM system.tables WHERE database = 'default' ORDER BY name",
      format: 'JSONEachRow',
    });
    return (await found.json<{ made: string }>())
      .map(({ made }) => [...made.matchAll(/toIntervalDay\((\d+)\)/g)].map(([, days]) => Number(days)))
      .filter((days) => days.length > 0);
  };
  await open(90, 365);
  assert.deepEqual(await kept(), [[90], [90], [90, 90, 90, 365]]);
  await open(30, 730);
  assert.deepEqual(await kept(), [[30], [30], [30, 30, 30, 730]]);
  await open(0, 0);
  assert.deepEqual(await kept(), []);
  await open(0, 0);
  await open(90, 0);
  assert.deepEqual(await kept(), [[90], [90], [90, 90, 90]]);
  await client.command({
    query: 'ALTER TABLE feedback MODIFY TTL toDateTime(intDiv(created_at, 1000)) + toIntervalYear(3)',
  });
  await open(90, 365);
  assert.deepEqual(await kept(), [[90], [90, 90, 90, 365]]);
});
