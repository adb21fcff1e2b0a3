import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rotateData, type SealContexts } from '../../../core/secrets/reseal.ts';
import { sealedTables } from '../../../core/secrets/sealed-tables.ts';
import { coreMigrations, openVault } from '../../../core/secrets/vault.ts';
import { migrate } from '../../../core/store/migrate.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';

const material = { key: Buffer.alloc(32, 1), previous: [], source: 'a test' };

onEachStore((_name, open) => {
  const { log } = recordingLog();

  /** Two tables with secrets and one without. */
  async function filled(rows: number) {
    const store = await open();
    await migrate(store, [coreMigrations], log);
    const vault = await openVault(store, material, log);
    for (const name of ['keys', 'integrations', 'plain', 'states']) {
      await store.db.schema.createTable(name, (table) => {
        table.string(name === 'states' ? 'digest' : 'id', 36).primary();
        table.string('owner', 36);
        if (name !== 'plain') table.text('sealed', 'longtext');
      });
    }
    const ids = Array.from({ length: rows }, (_, index) => `id-${String(index).padStart(4, '0')}`);
    const row = (id: string, context: string) => ({
      id,
      owner: `of ${id}`,
      sealed: vault.seal(`secret ${id}`, context),
    });
    await store.db('keys').insert(ids.map((id) => row(id, `keys/${id}`)));
    await store.db('integrations').insert(ids.map((id) => row(id, `owner/of ${id}`)));
    await store.db('keys').insert({ id: 'none', sealed: null });
    await store.db('states').insert({ digest: 'd', sealed: vault.seal('state', 'states/d') });
    const contexts: SealContexts = { integrations: ({ owner }) => `owner/${owner}` };
    return { store, vault, ids, contexts };
  }

  it('finds the tables that hold secrets', async () => {
    const { store } = await filled(1);
    assert.deepEqual(await sealedTables(store), [
      { name: 'integrations', key: 'id' },
      { name: 'keys', key: 'id' },
      { name: 'states', key: 'digest' },
    ]);
    await store.db.schema.createTable('pairs', (table) => {
      table.string('one', 36);
      table.string('other', 36);
      table.text('sealed');
      table.primary(['one', 'other']);
    });
    await assert.rejects(sealedTables(store), /pairs .*not a single column/);
  });

  it('seals every secret anew, in pages, for the place that it was sealed for', async () => {
    const { store, vault, ids, contexts } = await filled(25);
    const done = await rotateData(store, vault, { graceMs: 0, contexts, batch: 7 });
    assert.deepEqual(done, { changed: 51, unreadable: [] });
    assert.ok(vault.isCurrent((await store.db('states').first('sealed')).sealed));
    for (const { id, sealed } of await store.db('keys').whereNotNull('sealed')) {
      assert.ok(vault.isCurrent(sealed));
      assert.equal(vault.unseal(sealed, `keys/${id}`), `secret ${id}`);
    }
    const integrations = await store.db('integrations');
    assert.equal(integrations.length, ids.length);
    for (const { id, sealed } of integrations) assert.equal(vault.unseal(sealed, `owner/of ${id}`), `secret ${id}`);
  });

  it('goes on where it was broken off, with the same key', async () => {
    const { store, vault, contexts } = await filled(10);
    let transactions = 0;
    const breaking = {
      ...store,
      transaction: (async (work) => {
        // After one page of the first table.
        if (++transactions === 2) throw new Error('broken off');
        return store.transaction(work);
      }) as typeof store.transaction,
    };
    const all = { graceMs: 0, contexts, batch: 4 };
    await assert.rejects(rotateData(breaking, vault, all), /broken off/);
    const keys = (await store.db('encryption_keys')).length;
    assert.equal((await rotateData(store, vault, all)).changed, 21 - 4);
    assert.equal((await store.db('encryption_keys')).length, keys);
    assert.equal((await rotateData(store, vault, all)).changed, 21);
    assert.equal((await store.db('encryption_keys')).length, keys + 1);
  });

  it('names the secrets that no key opens, and seals the others', async () => {
    const { store, vault, contexts } = await filled(3);
    await store.db('keys').where({ id: 'id-0001' }).update({ sealed: 'v1.nothing.AAAA' });
    const unreadable = ['keys/id-0001'];
    assert.deepEqual(await rotateData(store, vault, { graceMs: 0, contexts }), { changed: 6, unreadable });
    assert.deepEqual(await rotateData(store, vault, { graceMs: 0, contexts }), { changed: 6, unreadable });
    assert.equal((await store.db('keys').where({ id: 'id-0001' }).first('sealed')).sealed, 'v1.nothing.AAAA');
  });

  it('leaves a row to whoever changed it meanwhile', async () => {
    const { store, vault, contexts } = await filled(3);
    const changes: (() => Promise<unknown>)[] = [
      async () => {},
      // The page of keys is read by now, and its transaction about to begin.
      async () =>
        store
          .db('keys')
          .where({ id: 'id-0001' })
          .update({ sealed: vault.seal('changed', 'keys/id-0001') }),
    ];
    const racing = {
      ...store,
      transaction: (async (work) => {
        await changes.shift()?.();
        return store.transaction(work);
      }) as typeof store.transaction,
    };
    assert.equal((await rotateData(racing, vault, { graceMs: 0, contexts })).changed, 6);
    const { sealed } = await store.db('keys').where({ id: 'id-0001' }).first('sealed');
    assert.equal(vault.unseal(sealed, 'keys/id-0001'), 'changed');
    assert.ok(vault.isCurrent(sealed));
  });

  it('waits before it uses a key that running gateways do not know', async () => {
    const { store, vault, contexts } = await filled(2);
    const notes: string[] = [];
    const rotation = await rotateData(store, vault, { graceMs: 300, contexts, note: (text) => notes.push(text) });
    assert.equal(rotation.changed, 5);
    assert.match(notes[0] ?? '', /Waiting 1 s/);
  });
});
