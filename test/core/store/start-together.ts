import { createLog } from '../../../core/log.ts';
import { coreMigrations, openVault } from '../../../core/secrets/vault.ts';
import { migrate } from '../../../core/store/migrate.ts';
import { openStore, type StoreOptions } from '../../../core/store/store.ts';

/**
 * One of several processes that start at once on an empty database: migrates, opens the vault, counts, and tells its
 * parent what it did and what it sealed. A parent that says `hang` gets one that stays in its migration.
 */
const [options, mode] = JSON.parse(process.argv[2] ?? '[]') as [StoreOptions, 'start' | 'hang'];
const log = createLog('silent');
const store = await openStore(options, log);
const table = {
  name: '001_counter',
  up: async (db: typeof store.db) => {
    await db.schema.createTable('counter', (columns) => {
      columns.string('id', 36).primary();
      columns.integer('count');
    });
    await db('counter').insert({ id: 'a', count: 0 });
    if (mode !== 'hang') return;
    process.send?.('hanging');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
};
const times = { beatMs: 100, staleMs: 3000, waitMs: 20_000 };
const migrated = await migrate(store, [coreMigrations, { plugin: 'test', migrations: [table] }], log, times);
const vault = await openVault(store, { key: Buffer.alloc(32, 7), previous: [], source: 'a test' }, log);
for (let round = 0; round < 20; round++) {
  await store.transaction(async (trx) => {
    const { count } = await trx('counter').where({ id: 'a' }).first('count');
    await trx('counter')
      .where({ id: 'a' })
      .update({ count: count + 1 });
  });
}
process.send?.({ migrated, sealed: vault.seal('hello', 'x/1'), checksumKey: vault.checksumKey() }, () => {
  vault.close();
  void store.close().then(() => process.disconnect());
});
