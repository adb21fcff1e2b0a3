import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { isUnavailable, openStore, type Store, type StoreOptions } from '../../../core/store/store.ts';
import { type MariaDb, mariaDbMissing, startMariaDb } from '../../support/mariadb.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { freshOnMariaDb } from '../../support/stores.ts';

describe('a database server that fails', { skip: mariaDbMissing ?? false }, () => {
  let server: MariaDb;
  let options: StoreOptions & { readonly kind: 'mysql' };
  const opened: Store[] = [];
  const { log } = recordingLog();

  async function open(changes: Partial<typeof options> = {}): Promise<Store> {
    const store = await openStore({ ...options, ...changes }, log);
    opened.push(store);
    return store;
  }

  before(async () => {
    server = await startMariaDb();
    options = { ...(await freshOnMariaDb(server)), queryTimeoutMs: 300 };
    const store = await open();
    await store.db.schema.createTable('things', (table) => {
      table.string('id', 36).primary();
      table.integer('count');
    });
    await store.db('things').insert([
      { id: 'a', count: 0 },
      { id: 'b', count: 0 },
    ]);
  });
  after(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await server.close();
  });

  async function frozen(work: () => Promise<void>): Promise<void> {
    server.freeze();
    try {
      await work();
    } finally {
      server.thaw();
    }
  }

  const asked: readonly [string, (store: Store) => Promise<unknown>][] = [
    ['a query', async (store) => store.db('things').first()],
    ['a change', async (store) => store.db('things').where({ id: 'b' }).increment('count', 1)],
    ['a raw query', async (store) => store.db.raw('select 1')],
    ['a transaction', (store) => store.transaction(async (trx) => trx('things').first())],
    ['a ping', (store) => store.ping()],
  ];
  for (const [what, ask] of asked) {
    it(`frozen, ends ${what} within its limit, with a warm pool and a cold one, and answers once it is thawed`, async () => {
      const [warm, cold] = [await open(), await open()];
      await warm.ping();
      await frozen(async () => {
        for (const store of [warm, cold]) await assert.rejects(ask(store), isUnavailable);
      });
      for (const store of [warm, cold]) await ask(store);
    });
  }

  it('frozen in the middle of a transaction, ends it with the error of the query, and undoes it', async () => {
    const store = await open();
    try {
      await assert.rejects(
        store.transaction(async (trx) => {
          await trx('things').where({ id: 'a' }).update({ count: 99 });
          server.freeze();
          await trx('things').where({ id: 'b' }).update({ count: 99 });
        }),
        (error: Error) => isUnavailable(error) && /within 300 ms/.test(error.message),
      );
    } finally {
      server.thaw();
    }
    assert.equal((await store.db('things').where({ id: 'a' }).first('count')).count, 0);
  });

  it('frozen, lets more callers than connections go within the limits', async () => {
    const store = await open({ poolSize: 2 });
    await frozen(async () => {
      const asked = Array.from({ length: 12 }, async () => store.db('things').first());
      for (const { status } of await Promise.allSettled(asked)) assert.equal(status, 'rejected');
    });
    // A connection that was asked for meanwhile may still fail whoever comes next.
    await store.ping().catch(() => {});
    await store.ping();
  });

  it('frozen, does not keep a store from being closed', async () => {
    const store = await openStore(options, log);
    await Promise.all([store.ping(), store.ping(), store.ping()]);
    await frozen(() => store.close());
  });

  it('frozen, does not let a store be opened', () =>
    frozen(async () => {
      await assert.rejects(openStore(options, log), (error) => GatewayError.is(error) && error.code === 'not_ready');
    }));

  it('gone and back, is asked again by the same store', async () => {
    const store = await open();
    await store.ping();
    await server.stop();
    await assert.rejects(store.ping(), isUnavailable);
    await assert.rejects(async () => store.db('things').first(), isUnavailable);
    await assert.rejects(
      store.transaction(async (trx) => trx('things').first()),
      isUnavailable,
    );
    await server.start();
    await store.ping();
    assert.equal((await store.db('things').where({ id: 'a' }).first('count')).count, 0);
  });

  it('restarted between two queries, costs none of them', async () => {
    const store = await open();
    await store.db('things').first();
    await server.stop();
    await server.start();
    assert.equal((await store.db('things').where({ id: 'a' }).first('id')).id, 'a');
  });

  it('that kills the connection in a transaction, fails it alone', async () => {
    const store = await open();
    await assert.rejects(
      store.transaction(async (trx) => {
        const [rows] = await trx.raw('select connection_id() as id');
        await trx('things').where({ id: 'a' }).update({ count: 99 });
        await server.execute(`KILL ${rows[0].id}`);
        await trx('things').where({ id: 'b' }).update({ count: 99 });
      }),
      isUnavailable,
    );
    assert.equal((await store.db('things').where({ id: 'a' }).first('count')).count, 0);
  });

  it('that is slow with one query, ends that one, and its transaction', async () => {
    const store = await open();
    await assert.rejects(async () => store.db.raw('select sleep(5)'), isUnavailable);
    await store.ping();
  });

  it('is named when it refuses, without the password', async () => {
    const wrong = { ...options, writer: { ...options.writer, password: 'not the password' } };
    await assert.rejects(openStore(wrong, log), (error) => {
      assert.ok(GatewayError.is(error) && error.code === 'not_ready');
      assert.match(error.message, /Access denied/);
      assert.doesNotMatch(error.message + error.stack, /not the password/);
      return true;
    });
    await assert.rejects(
      openStore({ ...options, writer: { ...options.writer, port: 1 } }, log),
      /127\.0\.0\.1:1 .*ECONNREFUSED/,
    );
    await assert.rejects(openStore({ ...options, database: 'nowhere' }, log), /nowhere/);
  });
});

describe('a lock that another transaction holds', { skip: mariaDbMissing ?? false }, () => {
  it('ends the transaction that waits in vain, undoing all of it', async () => {
    const options = { ...(await freshOnMariaDb()), queryTimeoutMs: 2500 };
    const { log } = recordingLog();
    const [holder, waiter] = [await openStore(options, log), await openStore(options, log)];
    await holder.db.schema.createTable('things', (table) => {
      table.string('id', 36).primary();
      table.integer('count');
    });
    await holder.db('things').insert([
      { id: 'a', count: 0 },
      { id: 'b', count: 0 },
    ]);
    let rounds = 0;
    await holder.transaction(async (trx) => {
      await trx('things').where({ id: 'b' }).update({ count: 1 });
      const swallowed = waiter.transaction(async (inner) => {
        rounds += 1;
        await inner('things').where({ id: 'a' }).increment('count', 1);
        // Work that takes a lost lock for an answer must not be committed by halves.
        const update = inner('things').where({ id: 'b' }).update({ count: 2 });
        await update.catch(() => {});
        if (rounds === 2) throw new Error('enough');
      });
      await assert.rejects(swallowed, /enough/);
    });
    assert.deepEqual(await holder.db('things').orderBy('id').pluck('count'), [0, 1]);
    assert.equal(rounds, 2);
    await Promise.all([holder.close(), waiter.close()]);
  });
});

describe('a store with one connection', () => {
  it('says what is wrong when it is asked beside its own transaction', async () => {
    const store = await openStore({ kind: 'sqlite', file: ':memory:' }, recordingLog().log);
    await store.transaction(async () => {
      await assert.rejects(
        async () => store.db.raw('select 1'),
        (error: Error) => isUnavailable(error) && /beside the transaction/.test(error.message),
      );
    });
    await store.ping();
    await store.close();
  });

  it('cannot be opened where nothing can be written', async () => {
    const file = join(import.meta.filename, 'portcullis.db');
    await assert.rejects(
      openStore({ kind: 'sqlite', file }, recordingLog().log),
      (error) => GatewayError.is(error) && error.code === 'not_ready' && error.message.includes(file),
    );
  });
});
