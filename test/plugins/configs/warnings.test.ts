import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import { startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const plugins = ['audit-log', 'tenancy', 'integrations', 'configs', 'prompts'];

/** A control plane with the workspaces `ws-a`, which has the provider `ours`, and `ws-b`, which has `theirs`. */
async function start(
  t: Parameters<typeof startControl>[0],
  store: NonNullable<Parameters<typeof startControl>[1]>['store'],
) {
  const control = await startControl(t, { plugins, ...(store === undefined ? {} : { store }) });
  for (const slug of ['ws-a', 'ws-b']) await control.ok('POST', '/v1/workspaces', { body: { name: slug, slug } });
  await provider(control, 'ws-a', 'ours');
  await provider(control, 'ws-b', 'theirs');
  const save = async (config: JsonObject) =>
    control.ok('POST', '/v1/configs', { body: { name: 'C', workspace_id: 'ws-a', config } });
  return { control, save, warned: async (config: JsonObject) => params(await save(config)) };
}

function provider(control: TestControl, workspace_id: string, default_provider_slug: string) {
  const body = { name: 'E', ai_provider_id: 'echo', workspace_id, default_provider_slug };
  return control.ok('POST', '/v1/integrations', { body });
}

function prompt(control: TestControl, body: JsonObject = {}) {
  const whole = { name: 'P', string: 'Hello', parameters: {}, virtual_key: 'ours', workspace_id: 'ws-a' };
  return control.ok('POST', '/v1/prompts', { body: { ...whole, ...body } });
}

function params({ warnings }: JsonObject): readonly unknown[] | undefined {
  return warnings === undefined ? undefined : asObjects(warnings).map(({ param }) => param);
}

onEachStore((_, __, fresh) => {
  it('says of each name in a config that nothing answers to where it stands', async (t) => {
    const { save } = await start(t, await fresh());
    const reply = await save({
      override_params: { model: '@root-typo/m' },
      strategy: { mode: 'fallback' },
      targets: [
        { virtual_key: 'our' },
        { provider: '@provider-typo' },
        { provider: '@ours', default_params: { model: '@no-place/m' } },
        { strategy: { mode: 'single' }, targets: [{ default_params: { model: '@deep/vendor/m' } }] },
        { prompt_id: 'pp-gone@2' },
      ],
    });
    assert.deepEqual(params(reply), [
      'config.override_params.model',
      'config.targets[0].virtual_key',
      'config.targets[1].provider',
      'config.targets[3].targets[0].default_params.model',
      'config.targets[4].prompt_id',
    ]);
    assert.deepEqual(asObjects(reply.warnings)[1], {
      param: 'config.targets[0].virtual_key',
      message: 'No provider that this workspace may use goes by "our": requests fail until there is one.',
    });
    assert.match(String(asObjects(reply.warnings)[4]?.message), /"pp-gone@2"/);
  });

  it('says nothing of what requests will find', async (t) => {
    const { control, warned } = await start(t, await fresh());
    const { id, slug } = await prompt(control);
    for (const config of [
      { virtual_key: 'ours' },
      { provider: '@ours' },
      { provider: 'echo' },
      // A provider without anything saved.
      { provider: '@echo' },
      { override_params: { model: '@ours/m' } },
      { override_params: { model: 'vendor/m' } },
      { prompt_id: String(id) },
      { prompt_id: `${slug}@1` },
      { prompt_id: `${slug}@latest` },
      { retry: { attempts: 2 } },
    ])
      assert.equal(await warned(config), undefined, JSON.stringify(config));
    assert.deepEqual(await warned({ virtual_key: 'echo' }), ['config.virtual_key']);
  });

  it('says it again with each update, until the provider is there', async (t) => {
    const { control, save } = await start(t, await fresh());
    const { slug } = await save({ virtual_key: 'later' });
    const update = async (body: JsonObject) => params(await control.ok('PUT', `/v1/configs/${slug}`, { body }));
    assert.deepEqual(await update({ name: 'Other' }), ['config.virtual_key']);
    assert.deepEqual(await update({ config: { provider: '@later' } }), ['config.provider']);
    assert.equal(await update({ status: 'archived' }), undefined);
    await update({ status: 'active' });
    await provider(control, 'ws-a', 'later');
    assert.equal(await update({ name: 'Once more' }), undefined);
  });

  it('counts what another workspace has, and what was taken from this one, as not there', async (t) => {
    const { control, warned } = await start(t, await fresh());
    assert.deepEqual(await warned({ virtual_key: 'theirs' }), ['config.virtual_key']);
    const body = { name: 'Shared', slug: 'shared', ai_provider_id: 'echo' };
    await control.ok('POST', '/v1/integrations', { body });
    const grant = (enabled: boolean) =>
      control.ok('PUT', '/v1/integrations/shared/workspaces', {
        body: { workspaces: [{ id: 'ws-a', enabled, default_provider_slug: 'granted' }] },
      });
    await grant(true);
    assert.equal(await warned({ virtual_key: 'granted' }), undefined);
    await grant(false);
    assert.deepEqual(await warned({ virtual_key: 'granted' }), ['config.virtual_key']);
    const { slug } = await prompt(control, { virtual_key: 'theirs', workspace_id: 'ws-b' });
    assert.deepEqual(await warned({ prompt_id: String(slug) }), ['config.prompt_id']);
  });

  it('tells of a prompt that is there without that version why it cannot run', async (t) => {
    const { control, save } = await start(t, await fresh());
    const { slug } = await prompt(control);
    const [warning] = asObjects((await save({ prompt_id: `${slug}@7` })).warnings);
    assert.equal(warning?.param, 'config.prompt_id');
    assert.match(String(warning?.message), new RegExp(`${slug}.*7|7.*${slug}`));
  });

  it('tells the same of the provider of a prompt', async (t) => {
    const { control } = await start(t, await fresh());
    assert.equal(params(await prompt(control)), undefined);
    const made = await prompt(control, { virtual_key: 'our' });
    assert.deepEqual(params(made), ['virtual_key']);
    const update = async (body: JsonObject) => params(await control.ok('PUT', `/v1/prompts/${made.id}`, { body }));
    assert.deepEqual(await update({ patch: true, string: 'Hi' }), ['virtual_key']);
    assert.equal(await update({ patch: true, virtual_key: '@ours' }), undefined);
    assert.equal(await update({ name: 'Renamed' }), undefined);
  });

  it('tells a hundred of them and no more', async (t) => {
    const { warned } = await start(t, await fresh());
    const targets = Array.from({ length: 100 }, (_, index) => ({ virtual_key: `a${index}`, prompt_id: `pp-${index}` }));
    assert.equal((await warned({ strategy: { mode: 'fallback' }, targets }))?.length, 100);
  });
});
