import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { embeddedLogs } from '../logs/every-store.ts';
import { hour, iso, logWorld, minute, noon } from '../logs/world.ts';

const day = 24 * hour;

it('shows the figures of a day whose requests are kept no more, hour by hour', async (t) => {
  const opened = await embeddedLogs();
  const { control, key, seed } = await logWorld(t, opened);
  t.after(() => opened.close());
  const first = noon - 100 * day;
  for (let number = 0; number < 48; number += 1) seed({ createdAt: first + number * 30 * minute });
  await opened.settled();
  const path = `/v1/analytics/graphs/requests?time_of_generation_min=${iso(first)}&time_of_generation_max=${iso(first + day)}`;
  const hourly = Array.from({ length: 24 }, (_, index) => ({ timestamp: (first + index * hour) / 1000, total: 2 }));
  for (const when of ['before they are deleted', 'afterwards']) {
    const { summary, data_points } = await control.ok('GET', path, { as: key });
    assert.deepEqual([(summary as JsonObject).total, data_points], [48, hourly], when);
    await control.runJob('logs.retention');
  }
  const { total } = await control.ok('GET', `/v1/logs?time_of_generation_max=${iso(first + 2 * day)}`, { as: key });
  assert.equal(total, 0);
});
