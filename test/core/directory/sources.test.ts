import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHttpSource } from '../../../core/directory/http-source.ts';
import { onEachStore } from '../../support/stores.ts';
import { serviceToken, startControlPlane } from './control-plane.ts';
import { digestOf, fakeSource } from './fake-source.ts';
import { overStore, type Sourced } from './store-records.ts';
import { openDirectory, workspace } from './support.ts';

const signal = new AbortController().signal;

/** What every source keeps to. Keys and workspaces are read from the same table. */
function conforms(open: () => Promise<Sourced>): void {
  const id = digestOf(1);

  it('gives a record as plain JSON, and nothing where there is none', async () => {
    const { source, put, close } = await open();
    await put('ws/ä?&#%', { organisationId: 'org-1', name: 'Größe "1"' });
    const { entry } = await source.load('workspace', ['org-1', 'ws/ä?&#%'], signal);
    assert.deepEqual(JSON.parse(JSON.stringify(entry)), workspace('org-1', { name: 'Größe "1"' }));
    assert.equal((await source.load('workspace', ['org-1', 'other'], signal)).entry, undefined);
    assert.equal((await source.load('workspace', ['org-2', 'ws/ä?&#%'], signal)).entry, undefined);
    await close?.();
  });

  it('tells each change in the version of its organisation', async () => {
    const { source, put, close } = await open();
    const versionOf = async (since: number) => {
      const { versions, cursor } = await source.versions(since, signal);
      return { version: versions.find(({ organisationId }) => organisationId === 'org-1')?.version, cursor };
    };
    await put(id, { organisationId: 'org-1', name: 'One' });
    const first = await versionOf(0);
    const again = await versionOf(first.cursor);
    assert.equal(again.version, first.version);
    await put(id, { organisationId: 'org-1', name: 'Two' });
    assert.equal((await versionOf(again.cursor)).version, (first.version ?? 0) + 1);
    await close?.();
  });

  it('lets another process see a revoked key with its next question', async () => {
    const { source, sibling, put, remove, close } = await open();
    await put(id, { organisationId: 'org-1', name: 'Key' });
    const { directory: here } = await openDirectory(source);
    const { directory: there } = await openDirectory(sibling);
    assert.equal((await here.get('key', id))?.name, 'Key');
    const known = await there.get('key', id);
    assert.equal(known?.name, 'Key');
    await there.refresh();
    assert.ok(there.get('key', id) === known, 'unchanged, and at once');
    await remove(id, 'org-1');
    here.notify('org-1');
    assert.equal(await here.get('key', id), undefined);
    await there.refresh();
    assert.equal(await there.get('key', id), undefined);
    await close?.();
  });
}

describe('a source in memory', () => {
  conforms(async () => {
    const source = fakeSource();
    return {
      source,
      sibling: source,
      put: async (id, { organisationId, name }) => {
        const entry = workspace(organisationId, { name });
        source.keep('workspace', [organisationId, id], entry);
        source.keep('key', [id], entry);
        source.bump(organisationId);
      },
      remove: async (id, organisationId) => source.remove('key', [id], organisationId),
    };
  });
});

onEachStore(
  (_name, open) => {
    describe('a source over the store', () => conforms(async () => overStore(await open())));
    describe('a source over HTTP', () =>
      conforms(async () => {
        const { source, put, remove } = await overStore(await open());
        const plane = await startControlPlane({ source, checksumKey: () => 'a2V5' });
        const first = createHttpSource({ url: plane.url, serviceToken });
        const second = createHttpSource({ url: plane.url, serviceToken });
        return {
          source: first,
          sibling: second,
          put,
          remove,
          close: async () => {
            await Promise.all([first.close(), second.close()]);
            await plane.close();
          },
        };
      }));
  },
  { file: true },
);
