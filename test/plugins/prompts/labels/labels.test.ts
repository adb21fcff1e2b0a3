import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEachPlace, newName } from './place.ts';

inEachPlace('a label', (place) => {
  it('is made, read, changed and deleted', async () => {
    const { newWorkspace, refused, control } = place();
    const workspace = await newWorkspace();
    const body = { name: newName(), description: 'Good ones', color_code: '#00ff00', workspace_id: workspace };
    const { id, object, ...more } = await control.ok('POST', '/v1/labels', { body });
    assert.deepEqual([object, more], ['label', {}]);
    const { created_at, last_updated_at, ...rest } = await control.ok('GET', `/v1/labels/${id}`);
    assert.deepEqual(rest, {
      ...body,
      id,
      organisation_id: control.organisationId,
      is_universal: false,
      status: 'active',
      object: 'label',
    });
    assert.equal(created_at, last_updated_at);
    const changes = { name: newName(), description: null };
    assert.deepEqual(await control.ok('PUT', `/v1/labels/${id}`, { body: changes }), {});
    const changed = await control.ok('GET', `/v1/labels/${id}`);
    assert.deepEqual([changed.name, changed.description, changed.color_code], [changes.name, null, '#00ff00']);
    assert.deepEqual(await control.ok('DELETE', `/v1/labels/${id}`), {});
    assert.deepEqual(await refused('GET', `/v1/labels/${id}`), [404, 'id']);
    assert.deepEqual(await refused('DELETE', `/v1/labels/${id}`), [404, 'id']);
  });

  it('is seen in its own workspace alone', async () => {
    const { newWorkspace, make, list, refused } = place();
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    const id = await make(workspace);
    const sees = async (where: string) => (await list(where)).some((label) => label.id === id);
    assert.deepEqual([await sees(workspace), await sees(other)], [true, false]);
    for (const as of [{ workspaceId: other }, { organisationId: 'another' }]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const sent = method === 'PUT' ? { as, body: { description: 'Mine' } } : { as };
        assert.deepEqual(await refused(method, `/v1/labels/${id}`, sent), [404, 'id'], method);
      }
    }
  });

  it('of the organisation is seen in each workspace, and changed from none', async () => {
    const { newWorkspace, make, list, refused, control } = place();
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    const id = await make(null);
    for (const where of [workspace, other]) {
      assert.ok(
        (await list(where)).some((label) => label.id === id),
        'in the list',
      );
      const as = { workspaceId: where };
      const shown = await control.ok('GET', `/v1/labels/${id}`, { as });
      assert.deepEqual([shown.id, shown.workspace_id], [id, null]);
      assert.deepEqual(await refused('PUT', `/v1/labels/${id}`, { as, body: { name: newName() } }), [404, 'id']);
      assert.deepEqual(await refused('DELETE', `/v1/labels/${id}`, { as }), [404, 'id']);
    }
    const as = { organisationId: 'another' };
    assert.deepEqual(await refused('GET', `/v1/labels/${id}`, { as }), [404, 'id']);
    assert.deepEqual(await control.ok('PUT', `/v1/labels/${id}`, { body: { description: 'Ours' } }), {});
  });

  it('is listed by pages, by a part of its name and by where it belongs', async () => {
    const { newWorkspace, make, list, refused, control } = place();
    const workspace = await newWorkspace();
    const [own, shared] = [await make(workspace), await make(null)];
    const [first] = await list(workspace, '&page_size=1');
    const [second] = await list(workspace, '&page_size=1&current_page=1');
    assert.deepEqual([first?.is_universal, second?.is_universal, first?.id === second?.id], [true, true, false]);
    assert.deepEqual(
      (await list(workspace, '&search=stag')).map(({ name }) => name),
      ['staging'],
    );
    const all = JSON.stringify(await control.ok('GET', '/v1/labels'));
    const organisation = `organisation_id=${control.organisationId}`;
    const ofOrganisation = JSON.stringify(await control.ok('GET', `/v1/labels?${organisation}`));
    assert.deepEqual([all.includes(own), all.includes(shared)], [true, true]);
    assert.deepEqual([ofOrganisation.includes(own), ofOrganisation.includes(shared)], [false, true]);
    assert.equal((await refused('GET', '/v1/labels?organisation_id=another'))[0], 404);
  });

  it('goes with its workspace, and what it pointed at', async () => {
    const { newWorkspace, make, assign, refused, store, control } = place();
    const workspace = await newWorkspace();
    const id = await make(workspace);
    await assign({ workspace, id: 'prompt-of-a-team' }, 1, id);
    await control.ok('DELETE', `/v1/workspaces/${workspace}`);
    assert.deepEqual(await refused('GET', `/v1/labels/${id}`), [404, 'id']);
    assert.deepEqual(await store.db('prompt_labels').where({ label_id: id }), []);
  });

  for (const [method, path, scope] of [
    ['GET', '', 'prompts.list'],
    ['POST', '', 'prompts.create'],
    ['GET', '/:id', 'prompts.read'],
    ['PUT', '/:id', 'prompts.update'],
    ['DELETE', '/:id', 'prompts.delete'],
  ] as const) {
    it(`needs ${scope} to ${method} ${path || 'the list'}`, async () => {
      const { newWorkspace, make, control } = place();
      const workspaceId = await newWorkspace();
      const url = `/v1/labels${path.replace(':id', await make(workspaceId))}`;
      const body = method === 'POST' || method === 'PUT' ? { body: { name: newName() } } : {};
      const all = ['list', 'create', 'read', 'update', 'delete'].map((verb) => `prompts.${verb}`);
      const others = all.filter((one) => one !== scope);
      const without = await control.call(method, url, { ...body, as: { workspaceId, scopes: others } });
      assert.equal(without.status, 403);
      const allowed = await control.call(method, url, { ...body, as: { workspaceId, scopes: [scope] } });
      assert.equal(allowed.status, 200, allowed.text);
    });
  }
});

inEachPlace('the universal labels', (place) => {
  it('are the same ones in every workspace, though fifty look at once', async () => {
    const { newWorkspace, list } = place();
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    const looks = Array.from({ length: 50 }, (_, index) => list(index % 2 === 0 ? workspace : other));
    const seen = new Set(
      (await Promise.all(looks)).map((labels) =>
        JSON.stringify(
          labels.map(({ id, name, is_universal, workspace_id }) => [id, name, is_universal, workspace_id]),
        ),
      ),
    );
    assert.equal(seen.size, 1);
    const names = (await list(workspace)).map(({ name, is_universal }) => `${name} ${is_universal}`).sort();
    assert.deepEqual(names, ['development true', 'production true', 'staging true']);
  });

  it('are neither changed nor deleted', async () => {
    const { newWorkspace, list, refused } = place();
    const workspace = await newWorkspace();
    const before = await list(workspace);
    for (const { id } of before) {
      const path = `/v1/labels/${id}`;
      for (const body of [{ name: newName() }, { description: 'Ours' }]) {
        assert.deepEqual(await refused('PUT', path, { body }), [409, 'id']);
      }
      assert.deepEqual(await refused('DELETE', path), [409, 'id']);
      assert.deepEqual(await refused('DELETE', path, { as: { workspaceId: workspace } }), [404, 'id']);
    }
    assert.deepEqual(await list(workspace), before);
  });

  it('are of each organisation on its own', async () => {
    const { newWorkspace, list, refused } = place();
    const [{ id } = {}] = await list(await newWorkspace());
    assert.deepEqual(await refused('GET', `/v1/labels/${id}`, { as: { organisationId: 'another' } }), [404, 'id']);
  });
});
