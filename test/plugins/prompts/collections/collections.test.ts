import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEachPlace } from './place.ts';

inEachPlace('a collection', (place) => {
  it('is told of by id and slug when it is made, and read by either', async () => {
    const { newWorkspace, make, get, control } = place();
    const workspace = await newWorkspace();
    const made = await make(workspace);
    assert.match(made.slug, /^co-giraff-[0-9a-f]{6}$/);
    for (const name of [made.id, made.slug]) {
      const { created_at, last_updated_at, ...rest } = await get(name);
      assert.deepEqual(rest, {
        id: made.id,
        slug: made.slug,
        name: 'Giraffes',
        organisation_id: control.organisationId,
        workspace_id: workspace,
        parent_collection_id: null,
        is_default: 0,
        status: 'active',
        collection_details: {
          child_collections_count: 0,
          prompts_count: 0,
          child_collections_last_updated_at: null,
          prompts_last_updated_at: null,
        },
        child_collections: [],
        object: 'collection',
      });
      assert.equal(created_at, last_updated_at);
    }
  });

  it('counts what lies directly in it, and not what is archived', async () => {
    const { newWorkspace, make, prompt, list, get, control } = place();
    const workspace = await newWorkspace();
    const top = await make(workspace);
    const inner = await make(workspace, { name: 'Inner', parent_collection_id: top.slug });
    await make(workspace, { name: 'Innermost', parent_collection_id: inner.id });
    const gone = await make(workspace, { name: 'Gone', parent_collection_id: top.id });
    await control.ok('DELETE', `/v1/collections/${gone.id}`);
    await prompt(workspace, top.id);
    await prompt(workspace, top.id);
    await control.ok('DELETE', `/v1/prompts/${await prompt(workspace, top.id)}`);
    const shown = await get(top.id);
    const item = (await list(workspace)).find(({ id }) => id === top.id);
    const { child_collections: children, ...same } = shown;
    assert.deepEqual(item, same);
    const details = shown.collection_details as Record<string, unknown>;
    assert.deepEqual([details.child_collections_count, details.prompts_count], [1, 2]);
    assert.equal(details.child_collections_last_updated_at, (await get(inner.id)).last_updated_at);
    assert.equal(typeof details.prompts_last_updated_at, 'number');
    const inside = (await list(workspace)).filter(({ id }) => id === inner.id);
    assert.deepEqual(children, inside);
  });

  it('is renamed, and stays where it was made', async () => {
    const { newWorkspace, make, get, control, refused } = place();
    const workspace = await newWorkspace();
    const [top, other] = [await make(workspace), await make(workspace)];
    const { id } = await make(workspace, { parent_collection_id: top.id });
    const body = { name: 'Okapis', parent_collection_id: top.slug, workspace_id: workspace };
    const path = `/v1/collections/${id}`;
    for (const elsewhere of [other.id, null])
      assert.deepEqual(await refused('PUT', path, { body: { ...body, parent_collection_id: elsewhere } }), [
        400,
        'parent_collection_id',
      ]);
    assert.deepEqual(await control.ok('PUT', path, { body }), {});
    const { name, parent_collection_id } = await get(id);
    assert.deepEqual([name, parent_collection_id], ['Okapis', top.id]);
  });

  for (const [what, method, body, param] of [
    ['no name', 'POST', {}, 'name'],
    ['a name of spaces', 'POST', { name: '  ' }, 'name'],
    ['a name of 256 characters', 'POST', { name: 'x'.repeat(256) }, 'name'],
    ['an unknown parent', 'POST', { name: 'x', parent_collection_id: 'co-nowhere' }, 'parent_collection_id'],
    ['a parent that is no text', 'POST', { name: 'x', parent_collection_id: 5 }, 'parent_collection_id'],
    ['no name to change', 'PUT', {}, 'name'],
    ['an empty name', 'PUT', { name: '' }, 'name'],
  ] as const) {
    it(`is not ${method === 'PUT' ? 'changed' : 'made'} with ${what}`, async () => {
      const { newWorkspace, make, refused } = place();
      const workspace = await newWorkspace();
      const path = method === 'PUT' ? `/v1/collections/${(await make(workspace)).id}` : '/v1/collections';
      const sent = { body: { ...body, workspace_id: workspace } };
      assert.deepEqual(await refused(method, path, sent), [400, param]);
    });
  }

  it('belongs to a workspace', async () => {
    const { refused } = place();
    assert.deepEqual(await refused('POST', '/v1/collections', { body: { name: 'x' } }), [400, 'workspace_id']);
  });

  it('lies in no collection of another workspace, and in none that is archived', async () => {
    const { newWorkspace, make, refused, control } = place();
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    const [foreign, archived] = [await make(other), await make(workspace)];
    await control.ok('DELETE', `/v1/collections/${archived.id}`);
    for (const parent of [foreign.id, foreign.slug, archived.id]) {
      const body = { name: 'x', workspace_id: workspace, parent_collection_id: parent };
      assert.deepEqual(await refused('POST', '/v1/collections', { body }), [400, 'parent_collection_id']);
    }
  });

  it('lies ten deep at most', async () => {
    const { newWorkspace, make, refused } = place();
    const workspace = await newWorkspace();
    let { id } = await make(workspace);
    for (let depth = 2; depth <= 10; depth++) id = (await make(workspace, { parent_collection_id: id })).id;
    const body = { name: 'x', workspace_id: workspace, parent_collection_id: id };
    assert.deepEqual(await refused('POST', '/v1/collections', { body }), [400, 'parent_collection_id']);
  });

  it('is listed by pages, by a part of its name and by its status', async () => {
    const { newWorkspace, make, list, control } = place();
    const workspace = await newWorkspace();
    for (const name of ['Aardvarks', 'Badgers', 'Civets']) await make(workspace, { name });
    const gone = await make(workspace, { name: 'Dodos' });
    await control.ok('DELETE', `/v1/collections/${gone.slug}`);
    const names = async (query: string) => (await list(workspace, query)).map(({ name }) => name).sort();
    assert.deepEqual(await names(''), ['Aardvarks', 'Badgers', 'Civets', 'Default']);
    assert.deepEqual(await names('&search=adg'), ['Badgers']);
    assert.deepEqual(await names('&status=archived'), ['Dodos']);
    const pages = [...(await names('&page_size=3')), ...(await names('&page_size=3&current_page=1'))];
    assert.deepEqual(pages.sort(), ['Aardvarks', 'Badgers', 'Civets', 'Default']);
  });

  it('of another workspace or organisation is not found', async () => {
    const { newWorkspace, make, list, refused } = place();
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    const { id } = await make(workspace);
    for (const as of [{ workspaceId: other }, { organisationId: 'another' }]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const sent = method === 'PUT' ? { as, body: { name: 'Mine' } } : { as };
        assert.deepEqual(await refused(method, `/v1/collections/${id}`, sent), [404, 'id'], method);
      }
    }
    assert.ok(!(await list(other)).some((item) => item.id === id));
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
      const url = `/v1/collections${path.replace(':id', (await make(workspaceId)).id)}`;
      const body = method === 'POST' || method === 'PUT' ? { body: { name: 'x' } } : {};
      const all = ['list', 'create', 'read', 'update', 'delete'].map((verb) => `prompts.${verb}`);
      const others = all.filter((one) => one !== scope);
      const without = await control.call(method, url, { ...body, as: { workspaceId, scopes: others } });
      assert.equal(without.status, 403);
      const allowed = await control.call(method, url, { ...body, as: { workspaceId, scopes: [scope] } });
      assert.equal(allowed.status, 200, allowed.text);
    });
  }
});
