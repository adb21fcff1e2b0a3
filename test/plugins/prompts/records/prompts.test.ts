import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObjects } from 'portcullis/sdk';
import type { TestControl } from '../../../support/control.ts';
import { inEachPlace, inWorkspace, standard, textsOf } from './place.ts';

inEachPlace('prompts', (place) => {
  it('are made with their names in the reply, and are Published from the start', async () => {
    const { control, workspace, prompt } = place();
    const made = await control.ok('POST', '/v1/prompts', { body: { ...standard, workspace_id: workspace } });
    // Its provider is not there yet.
    assert.deepEqual(Object.keys(made).toSorted(), ['id', 'object', 'slug', 'version_id', 'warnings']);
    assert.equal(made.object, 'prompt');
    assert.match(String(made.slug), /^pp-gira-summa-[0-9a-f]{6}$/);
    const shown = await prompt(String(made.slug));
    assert.deepEqual(
      [shown.prompt_version, shown.prompt_version_id, shown.prompt_version_status],
      [1, made.version_id, 'active'],
    );
  });

  it('are shown whole, by id and by slug, at both mounts', async () => {
    const { control, workspace, make } = place();
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const body = {
      string: JSON.stringify([{ role: 'user', content: 'Hi {{name}}, {{#long}}{{detail}}{{/long}}' }]),
      virtual_key: '@main',
      tools,
      tool_choice: 'auto',
      version_description: 'The first',
      template_metadata: { template_type: 'chat' },
      is_raw_template: false,
    };
    const made = await make(body);
    for (const path of [`/v1/prompts/${made.id}`, `/v2/prompts/${made.slug}`]) {
      const { created_at, last_updated_at, collection_id, ...rest } = await control.ok('GET', path);
      assert.equal(created_at, last_updated_at);
      assert.equal(typeof collection_id, 'string');
      assert.deepEqual(rest, {
        id: made.id,
        slug: made.slug,
        name: 'Gira Summary',
        organisation_id: control.organisationId,
        workspace_id: workspace,
        status: 'active',
        string: body.string,
        parameters: { name: '', temperature: 0.5 },
        model: 'gpt-a',
        virtual_key: 'main',
        functions: null,
        tools,
        tool_choice: 'auto',
        template_metadata: { template_type: 'chat' },
        is_raw_template: 0,
        variable_components: {
          partials: [],
          sections: ['long'],
          variables: ['name'],
          sectionVariables: ['detail'],
          variablePartials: [],
        },
        prompt_version: 1,
        prompt_version_id: made.version_id,
        prompt_version_status: 'active',
        prompt_version_description: 'The first',
        prompt_version_label_id: null,
        prompt_version_label_name: null,
        prompt_version_labels: [],
        access_level: 'workspace',
        share_organisation_id: null,
        shared_at: null,
        shared_by_user_id: null,
        shared_from_version_id: null,
        allow_all_workspaces: 0,
        workspaces: [],
        prompt_owning_workspace_id: workspace,
        forked_from_prompt_id: null,
        forked_from_prompt_version_id: null,
        object: 'prompt',
      });
    }
  });

  it('take the text of messages, plain text and raw text', async () => {
    const { make, find } = place();
    const chat = JSON.stringify([{ role: 'user', content: 'Hi' }]);
    const kinds = [
      [{ string: chat }, 'chat', false],
      [{ string: 'Hi' }, 'text', false],
      [{ string: 'Hi', template_metadata: { template_type: 'chat' } }, 'chat', false],
      [{ string: 'Hi', prompt_metadata: { template_type: 'chat' } }, 'chat', false],
      [{ string: '[{{#m}}{{.}}{{/m}}]', is_raw_template: true }, 'chat', true],
    ] as const;
    for (const [body, type, isRawTemplate] of kinds) {
      const entry = await find((await make(body)).slug);
      assert.ok(entry !== undefined && 'string' in entry);
      assert.deepEqual([entry.string, entry.type, entry.isRawTemplate], [body.string, type, isRawTemplate]);
    }
  });

  it('are sent back as they were shown, and stay the same', async () => {
    const { control, make, prompt, find } = place();
    const { id, slug } = await make({ string: 'Hi {{name}} of {{user}}', parameters: { temperature: 0, top_p: 1 } });
    const shown = await prompt(id);
    await control.ok('PUT', `/v1/prompts/${id}`, { body: shown });
    const again = await prompt(id, 'latest');
    assert.deepEqual([again.prompt_version, again.parameters], [2, shown.parameters]);
    const entry = await find(slug, 'latest');
    assert.deepEqual(entry !== undefined && 'parameters' in entry && entry.parameters, { temperature: 0, top_p: 1 });
  });

  it('lose the variables that are shown as parameters, those of the version before too', async () => {
    const { control, make, find } = place();
    const { slug } = await make({ string: 'Hi {{name}}', parameters: { name: '', other: '', temperature: 1 } });
    const body = { ...standard, string: 'Hi {{you}}', parameters: { name: '', you: '', you2: '', temperature: 1 } };
    await control.ok('PUT', `/v1/prompts/${slug}`, { body });
    for (const [selector, parameters] of [
      ['1', { other: '', temperature: 1 }],
      ['2', { you2: '', temperature: 1 }],
    ] as const) {
      const entry = await find(slug, selector);
      assert.deepEqual(entry !== undefined && 'parameters' in entry && entry.parameters, parameters);
    }
  });

  it('are listed in pages, newest first, without their templates', async () => {
    const { control, newWorkspace, make } = place();
    const workspace = await newWorkspace();
    for (const name of ['One', 'Two', 'Three']) await make({ name }, workspace);
    const list = async (query: string) => control.ok('GET', `/v1/prompts?workspace_id=${workspace}&${query}`);
    const names = async (query: string) => textsOf(asObjects((await list(query)).data), 'name');
    assert.deepEqual((await names('')).toSorted(), ['One', 'Three', 'Two']);
    assert.equal((await list('page_size=2')).total, 3);
    const [first, second] = [await names('page_size=2'), await names('page_size=2&current_page=1')];
    assert.deepEqual([...first, ...second], await names(''));
    assert.deepEqual([first.length, second.length], [2, 1]);
    assert.deepEqual(await names('search=hre'), ['Three']);
    assert.deepEqual(await names('search=%25'), []);
    const { collection_id, created_at, last_updated_at, id, slug, ...item } =
      asObjects((await list('search=One')).data)[0] ?? {};
    assert.deepEqual(item, {
      name: 'One',
      organisation_id: control.organisationId,
      workspace_id: workspace,
      status: 'active',
      model: 'gpt-a',
      object: 'prompt',
    });
  });

  it('have a page size of 1 to 1000', async () => {
    const { refused } = place();
    for (const path of ['/v1/prompts', '/v1/prompts/partials'])
      for (const size of [0, 1001])
        assert.deepEqual(await refused('GET', `${path}?page_size=${size}`), [400, 'page_size']);
  });

  it('are listed by collection, its id or slug', async () => {
    const { control, newWorkspace, make } = place();
    const workspace = await newWorkspace();
    const body = { name: 'Zoo', workspace_id: workspace };
    const collection = await control.ok('POST', '/v1/collections', { body });
    const { id } = await make({ collection_id: String(collection.slug) }, workspace);
    await make({}, workspace);
    for (const name of [collection.id, collection.slug]) {
      const { data, total } = await control.ok('GET', `/v1/prompts?workspace_id=${workspace}&collection_id=${name}`);
      assert.deepEqual([total, textsOf(asObjects(data), 'id')], [1, [id]]);
    }
    assert.equal((await control.ok('GET', `/v1/prompts?workspace_id=${workspace}&collection_id=none`)).total, 0);
  });

  it('that are removed are found no more', async () => {
    const { control, workspace, make, refused } = place();
    const { id, slug } = await make();
    assert.deepEqual(await control.ok('DELETE', `/v1/prompts/${slug}`), {});
    for (const path of ['', '/versions', '?version=1'])
      assert.deepEqual(await refused('GET', `/v1/prompts/${id}${path}`), [404, 'id']);
    assert.deepEqual(await refused('PUT', `/v1/prompts/${id}`, { body: { name: 'x' } }), [404, 'id']);
    assert.deepEqual(await refused('PUT', `/v1/prompts/${id}/makeDefault`, { body: { version: 1 } }), [404, 'id']);
    const { data } = await control.ok('GET', `/v1/prompts?workspace_id=${workspace}`);
    assert.ok(!textsOf(asObjects(data), 'id').includes(id));
  });

  it('of another workspace or organisation are not found', async () => {
    const { control, newWorkspace, make, refused, find } = place();
    const { id, slug, version_id } = await make();
    const other = await newWorkspace();
    for (const as of [inWorkspace(other), { organisationId: 'another' }])
      for (const name of [id, slug]) {
        for (const path of ['', '/versions', `/versions/${version_id}`])
          assert.equal((await refused('GET', `/v1/prompts/${name}${path}`, { as }))[0], 404, path);
        for (const [path, body] of [
          ['', { name: 'Mine' }],
          ['/makeDefault', { version: 1 }],
          [`/versions/${version_id}`, { label_id: null }],
        ] as const)
          assert.equal((await refused('PUT', `/v1/prompts/${name}${path}`, { as, body }))[0], 404, path);
        assert.equal((await refused('DELETE', `/v1/prompts/${name}`, { as }))[0], 404);
      }
    assert.equal((await control.ok('GET', '/v1/prompts', { as: inWorkspace(other) })).total, 0);
    assert.equal(await find(slug, '', other), undefined);
  });

  it('shared with a workspace are read there, and listed where they are asked for', async () => {
    const { control, workspace, newWorkspace, make, version, refused } = place();
    const other = await newWorkspace();
    const shared = await make();
    const own = await make({}, other);
    await version(shared.id, 'Second');
    const reader = { as: inWorkspace(other) };
    await control.ok('POST', `/v1/prompts/${shared.id}/share`, { body: { workspaces: [other] } });
    const shown = await control.ok('GET', `/v1/prompts/${shared.slug}`, reader);
    assert.deepEqual(
      [shown.access_level, shown.prompt_owning_workspace_id, shown.workspace_id, shown.shared_from_version_id],
      ['organisation', workspace, workspace, shared.version_id],
    );
    assert.equal((await control.ok('GET', `/v1/prompts/${shared.slug}/versions`, reader)).total, 2);
    const listed = async (query: string) => asObjects((await control.ok('GET', `/v1/prompts${query}`, reader)).data);
    assert.deepEqual(textsOf(await listed(''), 'id'), [own.id]);
    assert.deepEqual(textsOf(await listed('?type=shared'), 'id'), [shared.id]);
    const both = (await listed('?show_prompt_share=true')).map((item) => [item.id, item.access_level]);
    assert.deepEqual(
      new Map(both as [string, string][]),
      new Map([
        [own.id, 'workspace'],
        [shared.id, 'organisation'],
      ]),
    );
    const body = { name: 'Mine' };
    assert.equal((await refused('PUT', `/v1/prompts/${shared.id}`, { ...reader, body }))[0], 404);
    assert.equal((await refused('DELETE', `/v1/prompts/${shared.id}`, reader))[0], 404);
    assert.equal(
      (await refused('PUT', `/v1/prompts/${shared.id}/makeDefault`, { ...reader, body: { version: 2 } }))[0],
      404,
    );
  });

  it('that are forked have the Published version alone, and say where they come from', async () => {
    const { control, newWorkspace, make, prompt, version } = place();
    const workspace_id = await newWorkspace();
    const source = await make({ virtual_key: await provider(control, workspace_id), version_description: 'First' });
    await version(source.id, 'Second');
    const body = { workspace_id };
    const { id, version_id } = await control.ok('POST', `/v1/prompts/${source.id}/fork`, { body });
    const copy = await prompt(String(id));
    assert.deepEqual(
      [copy.string, copy.prompt_version, copy.prompt_version_id, copy.prompt_version_description],
      [standard.string, 1, version_id, 'First'],
    );
    assert.deepEqual(
      [copy.forked_from_prompt_id, copy.forked_from_prompt_version_id, copy.workspace_id],
      [source.id, source.version_id, workspace_id],
    );
    await version(String(id), 'Of the copy');
    assert.equal((await prompt(source.id, 'latest')).string, 'Second');
  });

  it('block the removal of their workspace, and go with it by force', async () => {
    const { control, newWorkspace, make, partial, refused } = place();
    const workspace = await newWorkspace();
    const { id } = await make({}, workspace);
    await partial(undefined, workspace);
    assert.equal((await refused('DELETE', `/v1/workspaces/${workspace}`))[0], 409);
    await control.ok('DELETE', `/v1/workspaces/${workspace}`, { body: { force_delete: true } });
    assert.equal((await refused('GET', `/v1/prompts/${id}`))[0], 404);
  });

  it('tell the audit log who changed them', async () => {
    const { control, workspace, make } = place();
    const { id } = await make();
    const as = { ...inWorkspace(workspace), keyId: 'of-ada' };
    await control.ok('PUT', `/v1/prompts/${id}`, { as, body: { string: 'Second', patch: true } });
    await control.ok('PUT', `/v1/prompts/${id}/makeDefault`, { as, body: { version: 2 } });
    const { records } = await control.ok('GET', `/v1/audit-logs?resource_id=${id}&page_size=10`);
    assert.deepEqual(
      asObjects(records).map(({ uri, user_id }) => [uri, user_id]),
      [
        [`/v1/prompts/${id}/makeDefault`, 'of-ada'],
        [`/v1/prompts/${id}`, 'of-ada'],
        ['/v1/prompts', 'test-key'],
      ],
    );
  });
});

/** Slug of a new provider of the workspace. */
async function provider(control: TestControl, workspace_id: string): Promise<string> {
  const { id } = await control.ok('POST', '/v1/integrations', {
    body: { name: 'Main', ai_provider_id: 'openai', key: 'sk-1' },
  });
  await control.ok('PUT', `/v1/integrations/${id}/workspaces`, {
    body: { workspaces: [{ id: workspace_id, enabled: true }] },
  });
  const body = { name: 'Main', workspace_id, integration_id: String(id) };
  return String((await control.ok('POST', '/v1/providers', { body })).slug);
}
