import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memoryLogs } from './memory-logs.ts';
import { hour, logWorld } from './world.ts';

const day = 24 * hour;

for (const [what, env, days] of [
  ['90 and 365 days', {}, [90, 365]],
  ['as many days as the operator says', { LOG_RETENTION_DAYS: '7', METRICS_RETENTION_DAYS: '30' }, [7, 30]],
] as const) {
  it(`keeps logs and figures for ${what}`, async (t) => {
    const logs = memoryLogs();
    const asked: { readonly logs: number; readonly metrics: number }[] = [];
    const { control } = await logWorld(t, {
      env,
      logs: {
        ...logs,
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
  const logs = memoryLogs();
  const { control, seed } = await logWorld(t, { logs, env: { LOG_RETENTION_DAYS: '0', METRICS_RETENTION_DAYS: '0' } });
  const { id } = seed({ createdAt: 1 });
  await control.runJob('logs.retention');
  assert.ok(await logs.find(control.organisationId, id));
});

it('does not start with days that are none', async (t) => {
  await assert.rejects(logWorld(t, { env: { LOG_RETENTION_DAYS: 'many' } }), /LOG_RETENTION_DAYS/);
});
