import assert from 'node:assert/strict';
import { it } from 'node:test';
import { faultOf, inEachPlace, standard } from './place.ts';

inEachPlace('the directory', (place) => {
  it('gives the version of a prompt that the selector names', async () => {
    const { control, workspace, make, version, find } = place();
    const made = await make();
    const second = await version(made.id, 'Second');
    await version(made.id, 'Third');
    const label = await control.ok('POST', '/v1/labels', { body: { name: 'beta', workspace_id: workspace } });
    await control.ok('PUT', `/v1/prompts/${made.id}/versions/${second}`, { body: { label_id: String(label.id) } });
    for (const name of [made.id, made.slug])
      for (const [selector, number] of [
        ['', 1],
        ['latest', 3],
        ['2', 2],
        ['beta', 2],
      ] as const) {
        const entry = await find(name, selector);
        assert.equal(entry !== undefined && 'version' in entry && entry.version, number, selector);
      }
  });

  it('gives everything that a request is made of', async () => {
    const { control, make, find } = place();
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const functions = [{ name: 'look' }];
    const made = await make({ tools, functions, tool_choice: 'none', virtual_key: '@main' });
    assert.deepEqual(await find(made.slug), {
      organisationId: control.organisationId,
      id: made.id,
      slug: made.slug,
      name: standard.name,
      version: 1,
      versionId: made.version_id,
      string: standard.string,
      isRawTemplate: false,
      type: 'text',
      model: 'gpt-a',
      providerSlug: 'main',
      parameters: { temperature: 0.5 },
      tools,
      functions,
      toolChoice: 'none',
    });
    const bare = await find((await make({ model: null })).slug);
    for (const name of ['model', 'tools', 'functions', 'toolChoice'])
      assert.ok(bare !== undefined && !(name in bare), name);
  });

  it('gives a new version at once when it is published', async () => {
    const { make, version, publish, find } = place();
    const { id, slug } = await make();
    const template = async () => {
      const entry = await find(slug);
      return entry !== undefined && 'string' in entry && entry.string;
    };
    assert.equal(await template(), standard.string);
    await version(id, 'Second');
    assert.equal(await template(), standard.string);
    await publish(`/v1/prompts/${id}`, 2);
    assert.equal(await template(), 'Second');
  });

  it('gives a new version of a partial at once where it is not pinned', async () => {
    const { control, partial, publish, findPartial } = place();
    const { id, slug } = await partial('One');
    const found = async () => [
      await findPartial(slug),
      await findPartial(slug, '1'),
      await findPartial(slug, 'latest'),
    ];
    assert.deepEqual(await found(), ['One', 'One', 'One']);
    await control.ok('PUT', `/v1/prompts/partials/${id}`, { body: { string: 'Two' } });
    assert.deepEqual(await found(), ['One', 'One', 'Two']);
    await publish(`/v1/prompts/partials/${id}`, 2);
    assert.deepEqual(await found(), ['Two', 'One', 'Two']);
  });

  it('says why a prompt that is known cannot be run', async () => {
    const { control, make, version, find } = place();
    const { id, slug } = await make();
    await version(id, 'Second');
    const fault = async (selector = '') => faultOf(await find(slug, selector));
    assert.equal(await fault('3'), `The prompt ${slug} has no version 3: its latest is 2.`);
    assert.equal(await fault('99999999999999'), `The prompt ${slug} has no version 99999999999999: its latest is 2.`);
    assert.equal(await fault('production'), `No version of the prompt ${slug} carries the label "production".`);
    await control.ok('DELETE', `/v1/prompts/${id}`);
    for (const selector of ['', 'latest', '1', 'production'])
      assert.equal(await fault(selector), `The prompt ${slug} is archived.`);
  });

  it('knows nothing of prompts that are not there, and of partials by labels', async () => {
    const { partial, find, findPartial, newWorkspace, make } = place();
    const other = await newWorkspace();
    const [prompt, piece] = [await make(), await partial()];
    for (const selector of ['', 'latest', '1', 'production']) {
      assert.equal(await find('pp-none-123456', selector), undefined);
      assert.equal(await find(prompt.slug, selector, other), undefined);
      assert.equal(await find(piece.slug, selector), undefined, 'a partial is no prompt');
      assert.equal(await findPartial(piece.slug, selector, other), undefined);
    }
    for (const selector of ['2', 'production']) assert.equal(await findPartial(piece.slug, selector), undefined);
  });

  it('gives what is shared to those whom it is shared with, until that ends', async () => {
    const { control, make, partial, newWorkspace, find, findPartial } = place();
    const other = await newWorkspace();
    const [prompt, piece] = [await make(), await partial()];
    const found = async () => [
      (await find(prompt.slug, '', other)) !== undefined,
      (await findPartial(piece.slug, '', other)) !== undefined,
    ];
    assert.deepEqual(await found(), [false, false]);
    const body = { workspaces: [other] };
    await control.ok('POST', `/v1/prompts/${prompt.id}/share`, { body });
    await control.ok('POST', `/v1/prompts/partials/${piece.id}/share`, { body });
    assert.deepEqual(await found(), [true, true]);
    await control.ok('DELETE', `/v1/prompts/${prompt.id}/share`);
    assert.deepEqual(await found(), [false, true]);
  });
});
