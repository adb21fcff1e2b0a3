import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startControl, testKeyMaterial } from '../../../support/control.ts';
import { inEachPlace, placeOf, settings, storeOf } from './place.ts';

inEachPlace('the default collection', (place, fresh) => {
  it('is there when a workspace is first looked at', async () => {
    const { newWorkspace, list } = place();
    const workspace = await newWorkspace();
    const first = await list(workspace);
    assert.deepEqual(
      first.map(({ name, is_default, parent_collection_id }) => ({ name, is_default, parent_collection_id })),
      [{ name: 'Default', is_default: 1, parent_collection_id: null }],
    );
    assert.deepEqual(await list(workspace), first);
  });

  it('takes what names no collection', async () => {
    const { newWorkspace, find, list } = place();
    const workspace = await newWorkspace();
    const found = await find(workspace);
    assert.deepEqual(
      (await list(workspace)).map(({ id, is_default }) => ({ id, is_default })),
      [{ id: found.id, is_default: 1 }],
    );
    assert.deepEqual(await find(workspace), found);
  });

  for (const [what, looks] of [
    ['put something into it', () => false],
    ['look at the workspace', () => true],
    ['do either', (index: number) => index % 2 === 0],
  ] as const) {
    it(`is one, though fifty ${what} at once`, async () => {
      const { newWorkspace, find, list, control } = place();
      const workspace = await newWorkspace();
      const asked = Array.from({ length: 50 }, async (_, index) =>
        looks(index) ? (await list(workspace))[0]?.id : (await find(workspace)).id,
      );
      assert.equal(new Set(await Promise.all(asked)).size, 1);
      const rows = await storeOf(control).db('collections').where({ workspace_id: workspace });
      assert.equal(rows.length, 1);
    });
  }

  it('is another one in each workspace', async () => {
    const { newWorkspace, find } = place();
    assert.notEqual((await find(await newWorkspace())).id, (await find(await newWorkspace())).id);
  });

  it('comes to workspaces that are older than collections', async (t) => {
    const store = await fresh();
    const keyMaterial = testKeyMaterial();
    const before = await startControl(t, { store, keyMaterial, plugins: ['audit-log', 'tenancy'] });
    const workspace = await placeOf(before).newWorkspace();
    await before.gateway.close();
    const { find, list } = placeOf(await startControl(t, { ...settings, store, keyMaterial }));
    const { id } = await find(workspace);
    assert.deepEqual(
      (await list(workspace)).map((item) => item.id),
      [id],
    );
  });

  it('is renamed and takes others in, and is never deleted', async () => {
    const { newWorkspace, find, make, get, refused, control } = place();
    const workspace = await newWorkspace();
    const { id, slug } = await find(workspace);
    await control.ok('PUT', `/v1/collections/${id}`, { body: { name: 'Everything' } });
    for (const path of [`${id}`, `${slug}`, `${id}?force=true`]) {
      assert.deepEqual(await refused('DELETE', `/v1/collections/${path}`), [404, 'id']);
    }
    await make(workspace, { parent_collection_id: String(id) });
    const { name, is_default, status } = await get(id);
    assert.deepEqual([name, is_default, status], ['Everything', 1, 'active']);
  });
});
