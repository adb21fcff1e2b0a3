import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { sqlCounterSource } from '../../../core/limits/sql-source.ts';
import { counterMigrations } from '../../../core/limits/tables.ts';
import { migrate } from '../../../core/store/migrate.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { onEachStore } from '../../support/stores.ts';
import { type Bed, budget, claim, granted, openCounters, organisation, stateOf, until } from './bed.ts';
import type { Job, Told } from './client.ts';

let redis: RedisServer;
before(async () => {
  redis = await startRedis();
});
after(() => redis.close());

const script = join(import.meta.dirname, 'client.ts');

function start(t: Pick<TestContext, 'after'>, job: Omit<Job, 'redisUrl'>): ChildProcess {
  const child = fork(script, [JSON.stringify({ ...job, redisUrl: redis.url })], { execArgv: [] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function lastWord(child: ChildProcess): Promise<Told> {
  let told: Told | undefined;
  child.on('message', (message) => {
    told = message as Told;
  });
  await once(child, 'exit');
  assert.ok(told !== undefined, 'the process ended without a word');
  return told;
}

describe('four processes with one Redis', () => {
  it('admit together exactly what the limit allows', async (t) => {
    const job = { store: undefined, name: 'rate/four', limit: 500, tries: 25, reservationMs: 600_000, waits: true };
    const children = Array.from({ length: 4 }, () => start(t, job));
    const last = children.map(lastWord);
    await Promise.all(children.map((child) => once(child, 'message')));
    for (const child of children) child.send('begin');
    const told = await Promise.all(last);
    assert.equal(
      told.reduce((sum, { admitted }) => sum + admitted, 0),
      500,
    );
    assert.ok(told.filter(({ admitted }) => admitted > 0).length > 1, 'more than one had a share');
    const { counters } = openCounters(t, { redis: { url: redis.url, whenAway: 'closed' } });
    assert.deepEqual(await stateOf(counters, claim(job.name, 500)), [500, 0]);
  });
});

onEachStore(
  (_name, open, fresh) => {
    const openSource = async () => {
      const options = await fresh();
      const store = await open(options);
      await migrate(store, [{ plugin: 'core', migrations: counterMigrations }], recordingLog().log);
      return { options, source: sqlCounterSource(store, Date.now) };
    };

    it('count a budget once, in Redis and in the store', async (t) => {
      const { options, source } = await openSource();
      const name = `usage/${_name}/four`;
      const spend = budget(name, 300, 1);
      // What was used before Redis came.
      await source.set({ organisationId: organisation, name, start: spend.start }, 100);
      const job = { store: options, name, limit: 300, tries: 10, reservationMs: 600_000 };
      const told = await Promise.all(Array.from({ length: 4 }, () => lastWord(start(t, job))));
      assert.equal(
        told.reduce((sum, { committed }) => sum + committed, 0),
        200,
      );
      assert.deepEqual(
        told.map(({ unflushed }) => unflushed),
        [0, 0, 0, 0],
      );
      assert.deepEqual(await source.load([{ organisationId: organisation, name, start: spend.start }]), [300]);
      const { counters } = openCounters(t, { source, redis: { url: redis.url, whenAway: 'closed' } });
      assert.deepEqual(await stateOf(counters, spend), [300, 0]);
    });

    it('get back what a killed one has held, and lose no more of its commits than it had not written', async (t) => {
      const { options, source } = await openSource();
      const name = `usage/${_name}/killed`;
      const spend = budget(name, 400, 1);
      const key = { organisationId: organisation, name, start: spend.start };
      const job = { store: options, name, limit: 400, tries: 100, reservationMs: 5_000, holds: true };
      const victim = start(t, job);
      let told: Told | undefined;
      victim.on('message', (message) => {
        told = message as Told;
      });
      await until('many commits', () => (told?.committed ?? 0) >= 150);
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      const [stored = -1] = await source.load([key]);
      assert.ok(told !== undefined);
      // It may have committed more than it could tell.
      assert.ok(
        stored >= told.committed - told.unflushed,
        `${stored} of ${told.committed}, ${told.unflushed} unwritten`,
      );
      assert.ok(stored <= told.admitted);

      const { counters } = openCounters(t, { source, redis: { url: redis.url, whenAway: 'closed' } });
      const [used = -1, reserved = -1] = await stateOf(counters, spend);
      assert.ok(reserved > 0, 'what it held is still set aside');
      assert.ok(used >= told.committed);
      await until('the reservations came back', async () => (await stateOf(counters, spend))[1] === 0);
      const rest = { ...spend, amount: 400 - used };
      const { reservation } = await granted(counters.reserve(organisation, [rest]));
      assert.equal((await counters.reserve(organisation, [spend])).granted, false);
      reservation.release();
    });

    it('show of a killed one what it had counted and not written, once, and never less than the store', async (t) => {
      const { options, source } = await openSource();
      const name = `usage/${_name}/unwritten`;
      const spend = budget(name, 1_000_000, 1);
      const of = (end: string) => ({ organisationId: organisation, name: name + end, start: spend.start });
      // One that is used, one that Redis knows nothing of, and one of which it knows less.
      await source.set(of(''), 100);
      await source.set(of('/unused'), 70);
      const job = { store: options, name, limit: 1_000_000, tries: 10, reservationMs: 600_000, flushMs: 600_000 };
      const victim = start(t, { ...job, holds: true });
      let committed = 0;
      victim.on('message', (told) => {
        committed = (told as Told).committed;
      });
      await until('all commits', () => committed === 100);
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      assert.deepEqual(await source.load([of('')]), [100], 'nothing of it was written');

      const redisOptions = { source, redis: { url: redis.url, whenAway: 'closed' } } as const;
      const opened = [openCounters(t, redisOptions), openCounters(t, redisOptions)];
      const [{ counters }] = opened as [Bed, Bed];
      const [used = -1] = await stateOf(counters, spend);
      assert.ok(used > 100, 'Redis has heard of it');
      (await granted(counters.reserve(organisation, [{ ...spend, name: `${name}/less` }]))).reservation.commit([5]);
      await until('it is written', () => counters.unflushed === 0);
      await source.set(of('/less'), 9);
      const expected = { [name]: used, [`${name}/unused`]: 70, [`${name}/less`]: 9 };
      const figures = (counts: readonly { readonly name: string; readonly used: number }[]) =>
        Object.fromEntries(counts.filter((count) => count.name in expected).map((count) => [count.name, count.used]));
      for (const { counters: shown } of opened) {
        const { total, counts } = await shown.list(organisation, name, spend.start, 10, 0);
        assert.deepEqual([total, figures(counts)], [3, expected]);
        assert.deepEqual(figures(await shown.changedSince(0, 1000)), expected);
      }
    });
  },
  { memory: false, file: true },
);
