import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import { inEachPlace, standard } from './place.ts';

inEachPlace('versions of prompts', (place) => {
  it('are drafts until they are published', async () => {
    const { control, make, prompt, publish } = place();
    const made = await make();
    const body = { ...standard, string: 'Second', model: 'gpt-b', version_description: 'Better' };
    const updated = await control.ok('PUT', `/v1/prompts/${made.slug}`, { body });
    assert.deepEqual(Object.keys(updated).toSorted(), ['id', 'prompt_version_id', 'slug', 'warnings']);
    assert.deepEqual([updated.id, updated.slug], [made.id, made.slug]);
    assert.equal((await prompt(made.id)).string, standard.string);
    const draft = await prompt(made.id, 'latest');
    assert.deepEqual(
      [draft.string, draft.prompt_version, draft.prompt_version_id, draft.prompt_version_status, draft.model],
      ['Second', 2, updated.prompt_version_id, 'archived', 'gpt-b'],
    );
    assert.deepEqual(await publish(`/v1/prompts/${made.slug}`, 2), {});
    const shown = await prompt(made.id);
    assert.deepEqual([shown.string, shown.prompt_version_status, shown.prompt_version], ['Second', 'active', 2]);
    assert.equal((await prompt(made.id, 1)).prompt_version_status, 'archived');
    await publish(`/v2/prompts/${made.id}`, 1);
    assert.equal((await prompt(made.id)).prompt_version, 1);
  });

  it('that are Published give the model that lists show', async () => {
    const { control, newWorkspace, make, publish } = place();
    const workspace = await newWorkspace();
    const { id } = await make({}, workspace);
    const model = async () =>
      asObjects((await control.ok('GET', `/v1/prompts?workspace_id=${workspace}`)).data)[0]?.model;
    await control.ok('PUT', `/v1/prompts/${id}`, { body: { patch: true, model: 'gpt-b' } });
    assert.equal(await model(), 'gpt-a');
    await publish(`/v1/prompts/${id}`, 2);
    assert.equal(await model(), 'gpt-b');
  });

  it('are filled from the latest one with patch, which need not be the Published one', async () => {
    const { control, make, prompt } = place();
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const { id } = await make({ tools, version_description: 'First', is_raw_template: 0 });
    const put = (body: JsonObject) => control.ok('PUT', `/v1/prompts/${id}`, { body });
    await put({ patch: true, string: 'Second {{name}}', model: null });
    await put({ patch: true, parameters: { top_p: 1 }, virtual_key: '@other' });
    await put({ patch: true, tools: null });
    const shown = (version: number) => prompt(id, version);
    const second = await shown(2);
    assert.deepEqual(
      [second.string, second.model, second.tools, second.prompt_version_description],
      ['Second {{name}}', null, tools, 'First'],
    );
    const third = await shown(3);
    assert.deepEqual(
      [third.string, third.parameters, third.virtual_key, third.tools],
      ['Second {{name}}', { name: '', top_p: 1 }, 'other', tools],
    );
    const fourth = await shown(4);
    assert.deepEqual([fourth.string, fourth.virtual_key, fourth.tools], ['Second {{name}}', 'other', null]);
  });

  for (const missing of ['string', 'parameters', 'virtual_key'] as const) {
    it(`need ${missing} without patch, once anything of a version is given`, async () => {
      const { make, refused, prompt } = place();
      const { id } = await make();
      const { name: _, [missing]: __, ...body }: JsonObject = { ...standard };
      for (const patch of [{}, { patch: false }])
        assert.deepEqual(await refused('PUT', `/v1/prompts/${id}`, { body: { ...body, ...patch } }), [400, missing]);
      assert.equal((await prompt(id, 'latest')).prompt_version, 1);
    });
  }

  it('without patch hold what is given and nothing else', async () => {
    const { control, make, prompt } = place();
    const { id } = await make({
      tools: [{ type: 'function', function: { name: 'look' } }],
      version_description: 'First',
    });
    const { string, parameters, virtual_key } = standard;
    await control.ok('PUT', `/v1/prompts/${id}`, { body: { string, parameters, virtual_key } });
    const { model, tools, prompt_version_description } = await prompt(id, 'latest');
    assert.deepEqual([model, tools, prompt_version_description], [null, null, null]);
  });

  it('are not made by a name and a collection', async () => {
    const { control, workspace, make, prompt } = place();
    const made = await make();
    const collection = await control.ok('POST', '/v1/collections', { body: { name: 'Zoo', workspace_id: workspace } });
    for (const body of [{ name: 'Other', collection_id: String(collection.slug) }, { patch: true }, {}]) {
      const updated = await control.ok('PUT', `/v1/prompts/${made.id}`, { body });
      assert.deepEqual(updated, { id: made.id, slug: made.slug, prompt_version_id: made.version_id });
    }
    const shown = await prompt(made.id, 'latest');
    assert.deepEqual([shown.name, shown.collection_id, shown.prompt_version], ['Other', collection.id, 1]);
  });

  it('are listed newest first, in pages, with their content', async () => {
    const { control, make, version, publish } = place();
    const made = await make({ version_description: 'First' });
    const second = await version(made.id, 'Second');
    await version(made.id, 'Third');
    await publish(`/v1/prompts/${made.id}`, 2);
    const { data, total } = await control.ok('GET', `/v1/prompts/${made.slug}/versions`);
    assert.equal(total, 3);
    assert.deepEqual(
      asObjects(data).map(({ prompt_version, status, prompt_id }) => [prompt_version, status, prompt_id]),
      [
        [3, 'archived', made.id],
        [2, 'active', made.id],
        [1, 'archived', made.id],
      ],
    );
    const { created_at, ...first } = asObjects(data)[2] ?? {};
    assert.deepEqual(first, {
      id: made.version_id,
      prompt_id: made.id,
      prompt_template: {
        string: standard.string,
        parameters: { temperature: 0.5 },
        model: 'gpt-a',
        virtual_key: 'main',
        functions: null,
        tools: null,
        tool_choice: null,
        template_metadata: null,
        is_raw_template: 0,
      },
      prompt_version: 1,
      prompt_description: 'First',
      label_id: null,
      status: 'archived',
      object: 'prompt',
    });
    const page = await control.ok('GET', `/v1/prompts/${made.id}/versions?page_size=1&current_page=1`);
    assert.deepEqual([page.total, asObjects(page.data).map(({ id }) => id)], [3, [second]]);
    const one = await control.ok('GET', `/v1/prompts/${made.id}/versions/${second}`);
    assert.deepEqual([one.id, one.prompt_version], [second, 2]);
  });

  it('are named by labels, which move from one to another', async () => {
    const { control, workspace, make, version, prompt, refused } = place();
    const made = await make();
    const second = await version(made.id, 'Second');
    const label = await control.ok('POST', '/v1/labels', { body: { name: 'canary', workspace_id: workspace } });
    const assign = (versionId: string, label_id: string | null) =>
      control.ok('PUT', `/v1/prompts/${made.id}/versions/${versionId}`, { body: { label_id, string: 'unheard' } });
    assert.deepEqual(await refused('GET', `/v1/prompts/${made.id}?version=canary`), [404, 'version']);
    assert.deepEqual(await assign(made.version_id, String(label.id)), {});
    assert.equal((await prompt(made.id, 'canary')).prompt_version, 1);
    await assign(second, String(label.id));
    const shown = await prompt(made.id, 'canary');
    assert.deepEqual(
      [shown.string, shown.prompt_version_label_id, shown.prompt_version_label_name, shown.prompt_version_labels],
      ['Second', label.id, 'canary', [{ id: label.id, name: 'canary' }]],
    );
    const { data } = await control.ok('GET', `/v1/prompts/${made.id}/versions`);
    assert.deepEqual(
      asObjects(data).map(({ label_id }) => label_id),
      [label.id, null],
    );
    await assign(second, null);
    assert.deepEqual(await refused('GET', `/v1/prompts/${made.id}?version=canary`), [404, 'version']);
    const path = `/v1/prompts/${made.id}/versions/${second}`;
    assert.deepEqual(await refused('PUT', path, { body: { label_id: 'none' } }), [400, 'label_id']);
    assert.deepEqual(await refused('PUT', path, { body: {} }), [400, 'label_id']);
  });

  it('that there are not are not found, and not published', async () => {
    const { make, refused } = place();
    const [one, other] = [await make(), await make()];
    for (const version of ['2', '0', '999999999999', 'nothing'])
      assert.deepEqual(await refused('GET', `/v1/prompts/${one.id}?version=${version}`), [404, 'version']);
    for (const [version, status] of [
      [2, 404],
      [0, 400],
      ['1', 400],
      [1.5, 400],
    ] as const)
      assert.deepEqual(await refused('PUT', `/v1/prompts/${one.id}/makeDefault`, { body: { version } }), [
        status,
        'version',
      ]);
    assert.deepEqual(await refused('PUT', `/v1/prompts/${one.id}/makeDefault`, { body: {} }), [400, 'version']);
    assert.deepEqual(await refused('GET', `/v1/prompts/${one.id}/versions/${other.version_id}`), [404, 'versionId']);
  });
});
