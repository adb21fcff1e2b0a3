import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObjects, type Json, type JsonObject } from 'portcullis/sdk';
import { contains, inEachPlace, inWorkspace } from './place.ts';

inEachPlace('guardrails', (place) => {
  it('are made with exactly three names in the reply', async () => {
    const made = await place().control.ok('POST', '/v1/guardrails', {
      body: { name: 'Patron', checks: [contains('swan')], actions: {}, workspace_id: place().workspace },
    });
    assert.deepEqual(Object.keys(made).toSorted(), ['id', 'slug', 'version_id']);
    assert.match(String(made.slug), /^pg-patron-[0-9a-f]{6}$/);
  });

  it('are shown with checks, actions and version by id and by slug, at both mounts', async () => {
    const { control, workspace, make } = place();
    const { id, slug, version_id } = await make();
    for (const path of [`/v1/guardrails/${id}`, `/v2/guardrails/${slug}`]) {
      const { created_at, last_updated_at, actions, ...rest } = await control.ok('GET', path);
      assert.deepEqual(rest, {
        id,
        slug,
        version_id,
        name: 'Patron',
        organisation_id: control.organisationId,
        workspace_id: workspace,
        status: 'active',
        owner_id: 'test-key',
        updated_by: 'test-key',
        checks: [contains('swan')],
        object: 'guardrail',
      });
      assert.equal((actions as JsonObject).deny, true);
      assert.equal(created_at, last_updated_at);
    }
  });

  it('are shown with the metadata of feedback as the text that clients take them for', async () => {
    const { control, make } = place();
    const feedback = (value: number, metadata: Json) => ({ feedback: { value, weight: 1, metadata } });
    const { id } = await make({
      actions: { deny: false, async: false, on_success: feedback(5, ''), on_fail: feedback(-5, { team: 'a' }) },
    });
    const shown = (await control.ok('GET', `/v1/guardrails/${id}`)).actions as JsonObject;
    const { on_success, on_fail } = shown;
    assert.deepEqual([on_success, on_fail], [feedback(5, ''), feedback(-5, '{"team":"a"}')]);
    await control.ok('PUT', `/v1/guardrails/${id}`, { body: { actions: shown } });
    assert.deepEqual((await control.ok('GET', `/v1/guardrails/${id}`)).actions, shown);
  });

  it('have a new version with each update, whatever it changes', async () => {
    const { control, make } = place();
    const made = await make();
    const path = `/v1/guardrails/${made.slug}`;
    const versions = [made.version_id];
    for (const body of [{ name: 'Second' }, { checks: [contains('crane')] }, { actions: { deny: false } }]) {
      const updated = await control.ok('PUT', path, { body });
      assert.deepEqual([updated.id, updated.slug], [made.id, made.slug]);
      versions.unshift(String(updated.version_id));
    }
    const { total, data } = await control.ok('GET', `${path}/versions`);
    assert.equal(total, 4);
    assert.deepEqual(
      asObjects(data).map(({ version_id, version, name }) => [version_id, version, name]),
      versions.map((id, index) => [id, 4 - index, index === 3 ? 'Patron' : 'Second']),
    );
    assert.deepEqual(
      asObjects(data).map(({ checks }) => checks),
      [[contains('crane')], [contains('crane')], [contains('swan')], [contains('swan')]],
    );
    const shown = await control.ok('GET', path);
    assert.deepEqual([shown.name, shown.checks, shown.version_id], ['Second', [contains('crane')], versions[0]]);
  });

  it('change nothing where nothing is given', async () => {
    const { control, make } = place();
    const made = await make();
    assert.equal((await control.ok('PUT', `/v1/guardrails/${made.id}`, { body: {} })).version_id, made.version_id);
  });

  it('that are removed are found no more, neither by people nor by requests', async () => {
    const { control, workspace, make, find, refused } = place();
    const { id, slug } = await make();
    assert.equal((await find(workspace, slug))?.id, id);
    assert.deepEqual(await control.ok('DELETE', `/v1/guardrails/${slug}`), {});
    for (const path of [`/v1/guardrails/${id}`, `/v1/guardrails/${slug}/versions`])
      assert.deepEqual(await refused('GET', path), [404, 'id']);
    assert.equal(await find(workspace, slug), undefined);
    assert.equal((await control.ok('GET', `/v1/guardrails?ids=${id}`)).total, 0);
  });

  it('are listed in pages, without their content', async () => {
    const { control, newWorkspace, make } = place();
    const workspace = await newWorkspace();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await make({ name }, workspace)).id);
    const list = (query: string) => control.ok('GET', `/v1/guardrails?workspace_id=${workspace}&${query}`);
    const own = async (query: string) =>
      asObjects((await list(query)).data).flatMap(({ id }) => (ids.includes(String(id)) ? [id] : []));
    assert.deepEqual((await own('')).toSorted(), ids.toSorted());
    const named = `ids=${ids.join(',')}`;
    assert.equal((await own(`${named}&page_size=2`)).length, 2);
    assert.equal((await own(`${named}&page_size=2&current_page=1`)).length, 1);
    assert.equal((await list(`${named}&page_size=2&current_page=1`)).total, 3);
    const [item] = asObjects((await list(named)).data);
    for (const name of ['checks', 'actions', 'version_id']) assert.ok(!(name in (item ?? {})), name);
  });

  it('are listed by ids and slugs, with commas between', async () => {
    const { control, make } = place();
    const [first, second] = [await make(), await make()];
    await make();
    const { data } = await control.ok('GET', `/v1/guardrails?ids=${first.id},%20${second.slug},pg-none`);
    assert.deepEqual(
      asObjects(data)
        .map(({ id }) => id)
        .toSorted(),
      [first.id, second.id].toSorted(),
    );
  });

  it('have a page size of 1 to 1000', async () => {
    const { refused } = place();
    for (const size of [0, 1001])
      assert.deepEqual(await refused('GET', `/v1/guardrails?page_size=${size}`), [400, 'page_size']);
  });

  it('of the organisation are seen and used from its workspaces, and changed from none', async () => {
    const { control, workspace, make, find, refused } = place();
    const { id, slug } = await make({}, null);
    const as = inWorkspace(workspace);
    const shown = await control.ok('GET', `/v1/guardrails/${slug}`, { as });
    assert.deepEqual([shown.id, shown.workspace_id], [id, null]);
    assert.equal((await control.ok('GET', `/v1/guardrails/${id}/versions`, { as })).total, 1);
    assert.equal((await control.ok('GET', `/v1/guardrails?ids=${id}`, { as })).total, 1);
    assert.equal((await find(workspace, slug))?.id, id);
    assert.equal((await find('', slug))?.id, id);
    assert.equal((await refused('PUT', `/v1/guardrails/${id}`, { as, body: { name: 'Mine' } }))[0], 404);
    assert.equal((await refused('DELETE', `/v1/guardrails/${id}`, { as }))[0], 404);
  });

  it('of the organisation alone are listed where it is named', async () => {
    const { control, make, refused } = place();
    const ids = `ids=${(await make({}, null)).id},${(await make()).id}`;
    assert.equal((await control.ok('GET', `/v1/guardrails?${ids}`)).total, 2);
    const own = await control.ok('GET', `/v1/guardrails?${ids}&organisation_id=${control.organisationId}`);
    assert.deepEqual(
      asObjects(own.data).map(({ workspace_id }) => workspace_id),
      [null],
    );
    assert.equal((await refused('GET', '/v1/guardrails?organisation_id=another'))[0], 404);
  });

  it('of another workspace or organisation are not found', async () => {
    const { control, newWorkspace, make, find, refused } = place();
    const { id } = await make();
    const other = await newWorkspace();
    for (const as of [inWorkspace(other), { organisationId: 'another' }]) {
      assert.equal((await refused('GET', `/v1/guardrails/${id}`, { as }))[0], 404);
      assert.equal((await refused('GET', `/v1/guardrails/${id}/versions`, { as }))[0], 404);
      assert.equal((await refused('PUT', `/v1/guardrails/${id}`, { as, body: { name: 'Mine' } }))[0], 404);
      assert.equal((await refused('DELETE', `/v1/guardrails/${id}`, { as }))[0], 404);
      assert.equal(
        (await refused('POST', `/v1/guardrails/${id}/test`, { as, body: { phase: 'beforeRequest' } }))[0],
        404,
      );
    }
    assert.equal((await control.ok('GET', `/v1/guardrails?ids=${id}`, { as: inWorkspace(other) })).total, 0);
    assert.equal(await find(other, id), undefined);
    assert.equal(await find('', id), undefined);
  });

  const faults: readonly [string, JsonObject, string][] = [
    ['no name', { name: '' }, 'name'],
    ['no checks', { checks: [] }, 'checks'],
    ['a check that is no object', { checks: ['contains'] }, 'checks[0]'],
    ['a check that there is not', { checks: [{ id: 'test-words.contain' }] }, 'checks[0].id'],
    ['a wrong parameter', { checks: [contains('a'), contains()] }, 'checks[1].parameters.words'],
    ['a rule beside the parameters', { checks: [{ ...contains('a'), is_enabled: 'no' }] }, 'checks[0].is_enabled'],
    [
      'a rule among the parameters',
      { checks: [{ id: 'test-words.contains', parameters: { words: ['a'], on_error: 'skip' } }] },
      'checks[0].parameters.on_error',
    ],
    ['an unknown action', { actions: { denie: true } }, 'actions.denie'],
    [
      'code at fault',
      { checks: [{ id: 'test-words.compiled', parameters: { code: 'broken' } }] },
      'checks[0].parameters.code',
    ],
  ];
  for (const [what, change, param] of faults) {
    it(`with ${what} are refused, naming ${param}`, async () => {
      const { workspace, make, refused } = place();
      const body = { name: 'x', checks: [contains('a')], actions: {}, workspace_id: workspace, ...change };
      assert.deepEqual(await refused('POST', '/v1/guardrails', { body }), [400, param]);
      const { id } = await make();
      assert.deepEqual(await refused('PUT', `/v1/guardrails/${id}`, { body: change }), [400, param]);
    });
  }

  for (const name of ['name', 'checks', 'actions']) {
    it(`need ${name}`, async () => {
      const { [name]: _, ...body }: JsonObject = { name: 'x', checks: [contains('a')], actions: {} };
      assert.deepEqual(await place().refused('POST', '/v1/guardrails', { body }), [400, name]);
    });
  }

  for (const [method, path, verb] of [
    ['GET', '', 'list'],
    ['POST', '', 'create'],
    ['GET', '/:id', 'read'],
    ['GET', '/:id/versions', 'read'],
    ['PUT', '/:id', 'update'],
    ['DELETE', '/:id', 'delete'],
  ] as const) {
    it(`need ${verb} of their own family to ${method} ${path || 'the list'}`, async () => {
      const { control, workspace, make } = place();
      const call = async (at: string | null, scopes: readonly string[]) => {
        const { id } = await make({}, at);
        const body = { name: 'x', checks: [contains('a')], actions: {}, ...(at === null ? {} : { workspace_id: at }) };
        const options = method === 'GET' || method === 'DELETE' ? {} : { body };
        const url = `/v1/guardrails${path.replace(':id', id)}`;
        return (await control.call(method, url, { ...options, as: { scopes } })).status;
      };
      const all = ['list', 'create', 'read', 'update', 'delete'];
      const others = all
        .filter((one) => one !== verb)
        .flatMap((one) => [`guardrails.${one}`, `organisation_guardrails.${one}`]);
      assert.equal(await call(workspace, others), 403);
      assert.equal(await call(null, others), 403);
      assert.equal(await call(workspace, [`guardrails.${verb}`]), 200);
      assert.equal(await call(null, [`organisation_guardrails.${verb}`]), 200);
      const reads = verb === 'list' || verb === 'read';
      assert.equal(await call(null, [`guardrails.${verb}`]), reads ? 200 : 403);
      assert.equal(await call(workspace, [`organisation_guardrails.${verb}`]), verb === 'list' ? 200 : 403);
    });
  }

  it('of workspaces are not listed for whoever may see the organisation’s alone', async () => {
    const { control, make } = place();
    const ids = `ids=${(await make({}, null)).id},${(await make()).id}`;
    const as = { scopes: ['organisation_guardrails.list'] };
    assert.equal((await control.ok('GET', `/v1/guardrails?${ids}`, { as })).total, 1);
  });

  it('of a workspace go with it when that is removed by force', async () => {
    const { control, newWorkspace, make, config, refused } = place();
    const workspace = await newWorkspace();
    const { id, slug } = await make({}, workspace);
    await config({ input_guardrails: [slug], provider: 'echo' }, workspace);
    await control.ok('PUT', `/v1/workspaces/${workspace}`, { body: { defaults: { output_guardrails: [id] } } });
    assert.equal((await refused('DELETE', `/v1/workspaces/${workspace}`))[0], 409);
    await control.ok('DELETE', `/v1/workspaces/${workspace}`, { body: { force_delete: true } });
    assert.equal((await refused('GET', `/v1/guardrails/${id}`))[0], 404);
  });
});
