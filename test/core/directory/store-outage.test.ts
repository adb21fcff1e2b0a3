import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openStore, type Store } from '../../../core/store/store.ts';
import { type MariaDb, mariaDbMissing, startMariaDb } from '../../support/mariadb.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { freshOnMariaDb } from '../../support/stores.ts';
import { digestOf } from './fake-source.ts';
import { overStore } from './store-records.ts';
import { openDirectory, refusalOf, until } from './support.ts';

describe('a directory over a database server', { skip: mariaDbMissing ?? false }, () => {
  let server: MariaDb;
  let store: Store;
  before(async () => {
    server = await startMariaDb();
    store = await openStore(await freshOnMariaDb(server), recordingLog().log);
  });
  after(async () => {
    await store.close();
    await server.close();
  });

  const failures = [
    ['frozen', () => server.freeze(), () => server.thaw()],
    ['killed', () => server.stop(), () => server.start()],
  ] as const;
  for (const [what, fail, mend] of failures) {
    it(`serves its last good copies under load while that is ${what}, and follows it afterwards`, async () => {
      const { source, put } = await overStore(store);
      const key = digestOf(1);
      await put(key, { organisationId: 'org-1', name: 'Before' });
      const { directory, logged } = await openDirectory(source, { loadMs: 200 });
      const known = await directory.get('key', key);
      assert.equal(known?.name, 'Before');
      await fail();
      try {
        directory.notify('org-1');
        const asked = Array.from({ length: 2000 }, (_, index) =>
          refusalOf(() => directory.get('key', digestOf(index + 2))),
        );
        assert.equal(await directory.get('key', key), known);
        for (const { code } of await Promise.all(asked)) assert.equal(code, 'not_ready');
        await until(() => directory.status.away);
        assert.equal(directory.get('key', key) as unknown, known);
        assert.deepEqual([directory.status.loading, directory.status.waiting], [0, 0]);
      } finally {
        await mend();
      }
      await until(() => !directory.status.away);
      await put(key, { organisationId: 'org-1', name: 'After' });
      await directory.refresh();
      assert.equal((await directory.get('key', key))?.name, 'After');
      assert.equal(logged.filter(({ event }) => event === 'directory_away').length, 1);
    });
  }
});
