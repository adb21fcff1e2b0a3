import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bumpVersion, directoryMigrations, overlapMs, readVersions } from '../../../core/directory/versions.ts';
import { migrate } from '../../../core/store/migrate.ts';
import type { Store } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';

const start = 1_767_225_600_000;

async function ready(store: Store): Promise<Store> {
  await migrate(store, [{ plugin: 'core', migrations: directoryMigrations }], recordingLog().log);
  return store;
}

onEachStore((_name, open) => {
  const bump = (store: Store, organisationId: string, now: number) =>
    store.transaction((trx) => bumpVersion(trx, organisationId, now));

  it('counts the changes of each organisation, also when they come at once', async () => {
    const store = await ready(await open());
    await Promise.all(Array.from({ length: 40 }, (_, index) => bump(store, `org-${index % 4}`, start)));
    const { versions, all } = await readVersions(store.reader, 0, start);
    assert.deepEqual(
      versions.map(({ organisationId, version }) => [organisationId, version]).sort(),
      [0, 1, 2, 3].map((number) => [`org-${number}`, 10]),
    );
    assert.equal(all, false);
  });

  it('says nothing of a change that was undone', async () => {
    const store = await ready(await open());
    await bump(store, 'org-1', start);
    const undone = store.transaction(async (trx) => {
      await bumpVersion(trx, 'org-1', start + 1);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(await readVersions(store.reader, 0, start + 9), {
      versions: [{ organisationId: 'org-1', version: 1 }],
      cursor: start,
      all: false,
    });
  });

  it('lists what is newer than the cursor, less the overlap, whatever the clocks of the writers say', async () => {
    const store = await ready(await open());
    const names = async (since: number, now: number) =>
      (await readVersions(store.reader, since, now)).versions.map(({ organisationId }) => organisationId).sort();
    assert.deepEqual(await readVersions(store.reader, 0, start), { versions: [], cursor: 0, all: false });
    await bump(store, 'old', start);
    await bump(store, 'new', start + overlapMs + 1);
    const { cursor } = await readVersions(store.reader, 0, start + overlapMs + 1);
    assert.equal(cursor, start + overlapMs + 1);
    assert.deepEqual(await names(cursor, cursor), ['new']);
    await bump(store, 'late', cursor - 60_000);
    assert.deepEqual(await names(cursor, cursor), ['late', 'new'], 'a clock that is behind');
    await bump(store, 'ahead', cursor + 3_600_000);
    const next = await readVersions(store.reader, cursor, cursor + 1000);
    assert.equal(next.cursor, cursor + 1000, 'a clock that is ahead does not carry the cursor along');
    await bump(store, 'ahead', cursor);
    assert.ok((await names(cursor + 3_000_000, cursor + 3_000_000)).includes('ahead'));
  });
});
