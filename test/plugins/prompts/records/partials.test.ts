import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { inEachPlace, inWorkspace, textsOf } from './place.ts';

const path = '/v1/prompts/partials';

inEachPlace('partials', (place) => {
  it('are made with exactly three names in the reply, and are Published from the start', async () => {
    const { control, workspace } = place();
    const body = { name: 'Tone of voice', string: 'Be kind.', workspace_id: workspace };
    const made = await control.ok('POST', path, { body });
    assert.deepEqual(Object.keys(made).toSorted(), ['id', 'slug', 'version_id']);
    assert.match(String(made.slug), /^pp-tone-of-vo-[0-9a-f]{6}$/);
  });

  it('are shown whole, by id and by slug, at both mounts', async () => {
    const { control, workspace, partial } = place();
    const made = await partial('Be {{tone}}.');
    for (const at of [`${path}/${made.id}`, `/v2/prompts/partials/${made.slug}`]) {
      const { created_at, last_updated_at, collection_id, ...rest } = await control.ok('GET', at);
      assert.equal(typeof collection_id, 'string');
      assert.deepEqual(rest, {
        id: made.id,
        slug: made.slug,
        name: 'Tone of voice',
        organisation_id: control.organisationId,
        workspace_id: workspace,
        status: 'active',
        string: 'Be {{tone}}.',
        version: 1,
        version_description: null,
        prompt_partial_version_id: made.version_id,
        prompt_version_status: 'active',
        access_level: 'workspace',
        share_organisation_id: null,
        shared_at: null,
        shared_by_user_id: null,
        shared_from_version_id: null,
        allow_all_workspaces: 0,
        workspaces: [],
        prompt_owning_workspace_id: workspace,
        variable_components: {
          partials: [],
          sections: [],
          variables: ['tone'],
          sectionVariables: [],
          variablePartials: [],
        },
        object: 'partial',
      });
    }
  });

  it('have a new version with each template, and none with a name', async () => {
    const { control, partial, publish } = place();
    const made = await partial();
    const put = (body: JsonObject) => control.ok('PUT', `${path}/${made.slug}`, { body });
    assert.deepEqual(await put({ name: 'Other' }), { prompt_partial_version_id: made.version_id });
    const second = await put({ string: 'Be brief.', description: 'Shorter' });
    assert.deepEqual(Object.keys(second), ['prompt_partial_version_id']);
    await put({ version_description: 'The same, said again' });
    const shown = await control.ok('GET', `${path}/${made.id}`);
    assert.deepEqual([shown.name, shown.string, shown.version], ['Other', 'Be {{tone}}.', 1]);
    assert.deepEqual(await publish(`${path}/${made.id}`, 2), {});
    const { data, total } = await control.ok('GET', `${path}/${made.id}/versions`);
    assert.equal(total, 3);
    assert.deepEqual(
      asObjects(data).map(({ created_at, ...item }) => item),
      [
        [3, 'Be brief.', 'The same, said again', 'archived'],
        [2, 'Be brief.', 'Shorter', 'active'],
        [1, 'Be {{tone}}.', null, 'archived'],
      ].map(([version, string, description, status], index) => ({
        prompt_partial_id: made.id,
        prompt_partial_version_id: asObjects(data)[index]?.prompt_partial_version_id,
        slug: made.slug,
        version,
        string,
        description,
        prompt_version_status: status,
        object: 'partial',
      })),
    );
    assert.deepEqual(textsOf(asObjects(data), 'prompt_partial_version_id').slice(1), [
      second.prompt_partial_version_id,
      made.version_id,
    ]);
    for (const [version, number] of [
      ['', 2],
      ['?version=latest', 3],
      ['?version=1', 1],
    ])
      assert.equal((await control.ok('GET', `${path}/${made.id}${version}`)).version, number);
  });

  it('are listed without their templates, and not among the prompts', async () => {
    const { control, newWorkspace, partial } = place();
    const workspace = await newWorkspace();
    const { id, slug } = await partial('x', workspace);
    assert.equal((await control.ok('GET', `/v1/prompts?workspace_id=${workspace}`)).total, 0);
    const { data, total } = await control.ok('GET', `${path}?workspace_id=${workspace}&search=voice`);
    assert.equal(total, 1);
    const { created_at, last_updated_at, collection_id, ...item } = asObjects(data)[0] ?? {};
    assert.deepEqual(item, {
      id,
      slug,
      name: 'Tone of voice',
      organisation_id: control.organisationId,
      workspace_id: workspace,
      status: 'active',
      object: 'partial',
    });
  });

  for (const [what, method, options] of [
    ['removed', 'DELETE', {}],
    ['archived', 'PUT', { body: { status: 'archived' } }],
  ] as const) {
    it(`that are ${what} are found no more, neither by people nor by requests`, async () => {
      const { control, partial, refused, findPartial } = place();
      const { id, slug } = await partial();
      assert.equal(await findPartial(slug), 'Be {{tone}}.');
      await control.ok(method, `${path}/${slug}`, options);
      for (const at of ['', '/versions']) assert.deepEqual(await refused('GET', `${path}/${id}${at}`), [404, 'id']);
      assert.deepEqual(await refused('PUT', `${path}/${id}`, { body: { string: 'x' } }), [404, 'id']);
      assert.equal(await findPartial(slug), undefined);
    });
  }

  it('of another workspace or organisation are not found', async () => {
    const { newWorkspace, partial, refused, findPartial } = place();
    const { id, slug } = await partial();
    const other = await newWorkspace();
    for (const as of [inWorkspace(other), { organisationId: 'another' }]) {
      for (const at of ['', '/versions']) assert.equal((await refused('GET', `${path}/${id}${at}`, { as }))[0], 404);
      assert.equal((await refused('PUT', `${path}/${slug}`, { as, body: { name: 'Mine' } }))[0], 404);
      assert.equal((await refused('PUT', `${path}/${id}/makeDefault`, { as, body: { version: 1 } }))[0], 404);
      assert.equal((await refused('DELETE', `${path}/${id}`, { as }))[0], 404);
    }
    assert.equal(await findPartial(slug, '', other), undefined);
  });

  for (const [what, change, param] of [
    ['an empty template', { string: '' }, 'string'],
    ['a partial that there is not', { string: '{{>pp-none-123456}}' }, 'string'],
    ['an empty name', { name: '' }, 'name'],
    ['an unknown collection', { collection_id: 'co-none-123456' }, 'collection_id'],
  ] as const) {
    it(`with ${what} are refused, naming ${param}`, async () => {
      const { workspace, partial, refused } = place();
      const body = { name: 'Tone', string: 'Be kind.', workspace_id: workspace, ...change };
      assert.deepEqual(await refused('POST', path, { body }), [400, param]);
      const { id } = await partial();
      assert.deepEqual(await refused('PUT', `${path}/${id}`, { body: change }), [400, param]);
    });
  }

  it('that include others are saved where those are there', async () => {
    const { control, workspace, partial } = place();
    const inner = await partial();
    const body = { name: 'Outer', string: `{{>${inner.slug}@1}}!`, workspace_id: workspace };
    const { id } = await control.ok('POST', path, { body });
    const { variable_components: components } = await control.ok('GET', `${path}/${id}`);
    assert.deepEqual((components as JsonObject).partials, [`${inner.slug}@1`]);
  });

  it('may not include themselves, directly or through others, in what is saved or Published', async () => {
    const { control, partial, publish } = place();
    const [a, b, c] = [await partial('A'), await partial('B'), await partial('C')];
    const put = (made: { readonly id: string }, string: string) =>
      control.call('PUT', `${path}/${made.id}`, { body: { string } });
    const refusal = ({ status, json }: Awaited<ReturnType<typeof control.call>>) => {
      const error = asObject(json.error);
      return [status, error?.param, error?.message];
    };
    const told = (...chain: readonly string[]) => [
      400,
      'string',
      `A partial may not include itself: ${chain.join(' → ')}.`,
    ];
    assert.deepEqual(refusal(await put(a, `x {{>${a.id}}}`)), told(a.slug, a.slug));
    assert.deepEqual(refusal(await put(a, `x {{>${a.slug}@latest}}`)), told(a.slug, `${a.slug}@latest`));
    assert.equal((await put(a, `older: {{>${a.slug}@1}}, {{>${b.slug}}}`)).status, 200);
    // Nothing leads to the version of a yet.
    assert.equal((await put(b, `{{>${c.slug}}}`)).status, 200);
    assert.equal((await put(c, `{{>${a.slug}}}`)).status, 200);
    await publish(`${path}/${b.id}`, 2);
    await publish(`${path}/${c.id}`, 2);
    const published = await control.call('PUT', `${path}/${a.id}/makeDefault`, { body: { version: 2 } });
    assert.deepEqual(refusal(published), told(a.slug, b.slug, c.slug, a.slug));
    assert.deepEqual(refusal(await put(a, `{{>${b.slug}@2}}`)), told(a.slug, `${b.slug}@2`, c.slug, a.slug));
    const { version, string } = await control.ok('GET', `${path}/${a.id}`);
    assert.deepEqual([version, string], [1, 'A']);
  });
});
