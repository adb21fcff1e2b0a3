import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GatewayError, type Migration } from 'portcullis/sdk';
import { freeLock, migrate, migrationState, pendingMigrations } from '../../../core/store/migrate.ts';
import { takeLock } from '../../../core/store/migration-lock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';

const times = { beatMs: 50, staleMs: 2_000, waitMs: 60_000 };

/** A migration that makes a table of its own name. */
function making(name: string): Migration {
  return {
    name,
    up: (db) =>
      db.schema.createTable(name, (table) => {
        table.string('id', 36).primary();
      }),
  };
}

onEachStore(
  (_name, open) => {
    const { log } = recordingLog();

    it('runs what is missing, by name within a plugin, and runs nothing twice', async () => {
      const store = await open();
      const ran: string[] = [];
      const noting = (name: string): Migration => ({ name, up: async () => void ran.push(name) });
      const sets = [
        { plugin: 'zebra', migrations: [noting('z1')] },
        { plugin: 'alpha', migrations: [noting('a2'), noting('a1')] },
      ];
      assert.deepEqual(await pendingMigrations(store, sets), ['zebra/z1', 'alpha/a1', 'alpha/a2']);
      assert.deepEqual(await migrate(store, sets, log, times), ['zebra/z1', 'alpha/a1', 'alpha/a2']);
      assert.deepEqual(ran, ['z1', 'a1', 'a2']);
      assert.deepEqual(await migrate(store, sets, log, times), []);
      assert.deepEqual(await pendingMigrations(store, sets), []);

      const more = [...sets, { plugin: 'beta', migrations: [noting('b1')] }];
      assert.deepEqual(await migrate(store, more, log, times), ['beta/b1']);
      assert.deepEqual(ran, ['z1', 'a1', 'a2', 'b1']);
    });

    it('changes nothing by asking', async () => {
      const store = await open();
      const sets = [{ plugin: 'one', migrations: [making('first')] }];
      assert.deepEqual(await migrationState(store, sets), { applied: [], pending: ['one/first'], unknown: [] });
      assert.equal(await store.db.schema.hasTable('schema_migrations'), false);
    });

    it('refuses a database that a newer version has migrated, naming what it does not know', async () => {
      const store = await open();
      const newer = [{ plugin: 'one', migrations: [making('first'), making('second')] }];
      const older = [{ plugin: 'one', migrations: [making('first')] }];
      await migrate(store, newer, log, times);
      await assert.rejects(migrate(store, older, log, times), (error) => {
        assert.ok(GatewayError.is(error) && error.code === 'invalid_config');
        assert.match(error.message, /newer version.*one\/second/);
        return true;
      });
      assert.deepEqual((await migrationState(store, older)).unknown, ['one/second']);
      assert.deepEqual(await migrate(store, newer, log, times), []);
    });

    it('names the migration that fails, keeps those before it, and can go on later', async () => {
      const store = await open();
      const failing: Migration = {
        name: 'second',
        up: async (db) => {
          await db('first').insert({ id: 'half' });
          throw new Error('out of luck');
        },
      };
      const set = (second: Migration) => [{ plugin: 'one', migrations: [making('first'), second, making('third')] }];
      await assert.rejects(migrate(store, set(failing), log, times), /one\/second failed: out of luck\./);
      assert.deepEqual((await migrationState(store, set(failing))).applied, ['one/first']);
      const left = await store.db('first').pluck('id');
      assert.deepEqual(left, store.dialect === 'sqlite' ? [] : ['half']);
      assert.deepEqual(await migrate(store, set(making('second')), log, times), ['one/second', 'one/third']);
    });

    it('refuses a name that stands twice before anything runs', async () => {
      const store = await open();
      const sets = [{ plugin: 'one', migrations: [making('first'), making('first')] }];
      await assert.rejects(migrate(store, sets, log, times), /one\/first stands twice/);
    });

    it('waits for who migrates, and goes on when that one is done', async () => {
      const store = await open();
      const lock = await takeLock(store, log, times);
      const sets = [{ plugin: 'one', migrations: [making('first')] }];
      let done = false;
      const migrated = migrate(store, sets, log, times).then((names) => {
        done = true;
        return names;
      });
      await new Promise((resolve) => setTimeout(resolve, 1.5 * times.staleMs));
      assert.equal(done, false, 'a holder that beats is not taken for dead');
      await lock.release();
      assert.deepEqual(await migrated, ['one/first']);
    });

    it('gives up on who takes too long, and says how to free the lock', async () => {
      const store = await open();
      const lock = await takeLock(store, log, times);
      const sets = [{ plugin: 'one', migrations: [making('first')] }];
      await assert.rejects(migrate(store, sets, log, { ...times, waitMs: 300 }), (error) => {
        assert.ok(GatewayError.is(error) && error.code === 'not_ready');
        assert.match(error.message, new RegExp(`process ${process.pid} on .*portcullis migrate --unlock`));
        return true;
      });
      assert.match((await freeLock(store)) ?? '', /process \d+/);
      assert.deepEqual(await migrate(store, sets, log, times), ['one/first']);
      await lock.release();
      assert.equal(await freeLock(store), undefined);
    });

    it('takes over from a process that crashed', async () => {
      const store = await open();
      const lock = await takeLock(store, log, { ...times, beatMs: 1_000_000 });
      const { log: heard, logged } = recordingLog();
      const sets = [{ plugin: 'one', migrations: [making('first')] }];
      assert.deepEqual(await migrate(store, sets, heard, times), ['one/first']);
      assert.ok(logged.some(({ event }) => event === 'migration_lock_taken_over'));
      await assert.rejects(lock.confirm(store.db), /taken the migration lock over/);
      await lock.release();
    });

    it('stops before the next migration when the lock was taken from it', async () => {
      const store = await open();
      const losing: Migration = { name: 'first', up: async (db) => void (await db('schema_lock').delete()) };
      const sets = [{ plugin: 'one', migrations: [losing, making('second')] }];
      await assert.rejects(
        migrate(store, sets, log, times),
        (error) => GatewayError.is(error) && error.code === 'conflict',
      );
      assert.equal(await store.db.schema.hasTable('second'), false);
    });

    it('gives a migration more time than a query', async () => {
      const store = await open();
      if (store.dialect === 'sqlite') return;
      const options = store.db.client.config;
      const before = options.queryTimeoutMs;
      options.queryTimeoutMs = 200;
      const slow: Migration = { name: 'slow', up: async (db) => void (await db.raw('select sleep(0.5)')) };
      assert.deepEqual(await migrate(store, [{ plugin: 'one', migrations: [slow] }], log, times), ['one/slow']);
      await assert.rejects(async () => store.db.raw('select sleep(0.5)'), /within 200 ms/);
      options.queryTimeoutMs = before;
    });
  },
  { file: true },
);
