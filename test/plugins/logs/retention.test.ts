import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createLogs } from '../../../core/logs/logs.ts';
import { embeddedSettings } from '../../support/log-settings.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { memoryLogs } from './memory-logs.ts';
import { hour, logWorld, noon } from './world.ts';

const day = 24 * hour;

for (const [what, retention, days] of [
  ['90 and 365 days', {}, [90, 365]],
  ['as many days as the operator says', { retention: { logDays: 7, metricDays: 30 } }, [7, 30]],
] as const) {
  it(`keeps logs and figures for ${what}`, async (t) => {
    const logs = memoryLogs();
    const asked: { readonly logs: number; readonly metrics: number }[] = [];
    const { control } = await logWorld(t, {
      logs: {
        ...logs,
        ...retention,
        prune: async (before) => {
          asked.push(before);
          return 0;
        },
      },
    });
    const now = control.now();
    assert.equal(await control.runJob('logs.retention'), true);
    const ages = [asked[0]?.logs, asked[0]?.metrics].map((before) => Math.round((now - (before ?? 0)) / day));
    assert.deepEqual(ages, days);
  });
}

it('keeps everything where the days are 0', async (t) => {
  const logs = { ...memoryLogs(), retention: { logDays: 0, metricDays: 0 } };
  const { control, seed } = await logWorld(t, { logs });
  const { id } = seed({ createdAt: 1 });
  await control.runJob('logs.retention');
  assert.ok(await logs.find(control.organisationId, id));
});

it('goes by the settings of the logs, be they of the file or of the environment', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-retention-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { ...embeddedSettings(folder), retention: { logDays: 7, metricDays: 30 } };
  const opened = await createLogs(settings, { now: Date.now, log: recordingLog().log });
  t.after(() => opened.close());
  const logs = { ...opened.store, ...opened.sinks };
  const { control, seed } = await logWorld(t, { logs });
  const [old, young] = [seed({ createdAt: noon - 8 * day }), seed({ createdAt: noon - 6 * day })];
  await logs.caughtUp();
  await control.runJob('logs.retention');
  assert.equal(await logs.find(control.organisationId, old.id), undefined);
  assert.ok(await logs.find(control.organisationId, young.id));
});
