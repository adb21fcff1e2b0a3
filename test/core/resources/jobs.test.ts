import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startJobs } from '../../../core/resources/jobs.ts';
import { startControl } from '../../support/control.ts';
import { recordingLog } from '../../support/recording-log.ts';

describe('jobs', () => {
  for (const scheduled of [true, false]) {
    it(`run by their schedules ${scheduled ? 'where they are to' : 'nowhere else'}`, async (t) => {
      const { gateway } = await startControl(t, { plugins: ['audit-log', 'tenancy'] });
      const { store } = gateway.control ?? assert.fail('no control plane');
      let runs = 0;
      const job = {
        name: 'tick',
        schedule: '* * * * * *',
        run: async () => {
          runs += 1;
        },
      };
      const { log } = recordingLog();
      const jobs = startJobs([job], { store, log, now: Date.now, newId: () => 'one', scheduled });
      t.after(() => jobs.close());
      if (scheduled) {
        while (runs === 0) await new Promise((resolve) => setTimeout(resolve, 20));
        return;
      }
      assert.equal(await jobs.run('tick'), true);
      assert.equal(runs, 1);
      await assert.rejects(jobs.run('tock'), { code: 'not_found' });
    });
  }

  it('that fail are told of, and may run again', async (t) => {
    const { gateway } = await startControl(t, { plugins: ['audit-log', 'tenancy'] });
    const { store } = gateway.control ?? assert.fail('no control plane');
    const { log, logged } = recordingLog();
    let broken = true;
    const run = async () => {
      if (broken) throw new Error('no disk');
    };
    const parts = { store, log, now: Date.now, newId: () => 'one', scheduled: false };
    const jobs = startJobs([{ name: 'fragile', schedule: '0 0 1 1 *', run }], parts);
    t.after(() => jobs.close());
    assert.equal(await jobs.run('fragile'), false);
    assert.deepEqual(
      logged.map(({ event, fields }) => [event, fields.job, fields.error]),
      [['job_failed', 'fragile', 'no disk']],
    );
    broken = false;
    assert.equal(await jobs.run('fragile'), true);
  });
});
