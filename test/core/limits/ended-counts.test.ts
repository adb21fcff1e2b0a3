import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { endedCountsJob } from '../../../core/limits/ended-counts.ts';
import { sqlCounterSource } from '../../../core/limits/sql-source.ts';
import { counterMigrations, countersTable } from '../../../core/limits/tables.ts';
import { migrate } from '../../../core/store/migrate.ts';
import { startControl } from '../../support/control.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { type Open, onEachStore } from '../../support/stores.ts';

const dayMs = 86_400_000;
const today = Date.UTC(2026, 7, 21);

/** Days since its period began, and since it last changed. */
interface Count {
  readonly name: string;
  readonly began: number;
  readonly changed: number;
  readonly organisationId?: string;
}

async function counted(open: Open, counts: readonly Count[]) {
  const store = await open();
  await migrate(store, [{ plugin: 'core', migrations: counterMigrations }], recordingLog().log);
  for (const { name, began, changed, organisationId = 'acme' } of counts) {
    const source = sqlCounterSource(store, () => today - changed * dayMs);
    const deltas = [{ organisationId, name, start: today - began * dayMs, amount: 5 }];
    await source.add({ writer: randomUUID(), number: 1, deltas });
  }
  /** After a run of the job: what is left, by name, and by the days since its period began. */
  const left = async () => {
    await endedCountsJob(store, () => today).run();
    const rows = await store.db(countersTable).orderBy('name').orderBy('start', 'desc');
    return rows.map((row) => [row.name, (today - Number(row.start)) / dayMs]);
  };
  return { left };
}

describe('the counts of periods that are over', () => {
  it('go by a job of the control plane', async (t) => {
    const { gateway, runJob } = await startControl(t, { plugins: ['audit-log', 'tenancy'], startAt: today });
    const { store } = gateway.control ?? assert.fail('the gateway has a control plane');
    const source = sqlCounterSource(store, () => today - 500 * dayMs);
    for (const began of [900, 800]) {
      await source.set({ organisationId: 'acme', name: 'monthly', start: today - began * dayMs }, 5);
    }
    assert.equal(await runJob('core.ended-counts'), true);
    assert.deepEqual(await store.db(countersTable).pluck('start'), [today - 800 * dayMs]);
  });

  onEachStore((_, open) => {
    it('go 400 days after their period has ended, which is when another has begun', async () => {
      const { left } = await counted(open, [
        { name: 'monthly', began: 460, changed: 432 },
        { name: 'monthly', began: 431, changed: 402 },
        { name: 'monthly', began: 400, changed: 371 },
        { name: 'monthly', began: 30, changed: 1 },
        { name: 'weekly', began: 408, changed: 402 },
        { name: 'weekly', began: 401, changed: 395 },
      ]);
      assert.deepEqual(await left(), [
        ['monthly', 30],
        ['monthly', 400],
        ['monthly', 431],
        ['weekly', 401],
      ]);
    });

    it('stay where nothing has followed: budgets without reset are such', async () => {
      const counts = [
        { name: 'forever', began: 900, changed: 800 },
        { name: 'forever/group', began: 500, changed: 450 },
        { name: 'forever', began: 500, changed: 450, organisationId: 'other' },
      ];
      assert.equal((await (await counted(open, counts)).left()).length, 3);
    });

    it('stay where they have been changed since', async () => {
      const { left } = await counted(open, [
        { name: 'monthly', began: 460, changed: 10 },
        { name: 'monthly', began: 431, changed: 10 },
      ]);
      assert.equal((await left()).length, 2);
    });

    it('go in batches until none is left', async () => {
      const counts = Array.from({ length: 450 }, (_, index) => ({ name: 'weekly', began: 500 + index, changed: 480 }));
      assert.deepEqual(await (await counted(open, counts)).left(), [['weekly', 500]]);
    });
  });
});
