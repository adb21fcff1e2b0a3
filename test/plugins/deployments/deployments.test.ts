import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { type ControlOptions, startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const path = '/v2/deployments';
const start = (t: TestContext, options: ControlOptions = {}) =>
  startControl(t, { plugins: ['audit-log', 'tenancy', 'deployments'], ...options });
const create = (control: TestControl, body: JsonObject = {}) =>
  control.ok('POST', path, { body: { name: 'Frankfurt', ...body } });
const get = (control: TestControl, id: unknown) => control.ok('GET', `${path}/${id}`);
const update = (control: TestControl, id: unknown, body: JsonObject) => control.ok('PUT', `${path}/${id}`, { body });
const settings = async (control: TestControl, id: unknown) => asObject((await get(control, id)).auth_settings) ?? {};
const dbOf = (control: TestControl) =>
  (control.gateway.control as NonNullable<typeof control.gateway.control>).store.db;

async function workspace(control: TestControl, name: string): Promise<JsonObject> {
  return control.ok('POST', '/v1/admin/workspaces', { body: { name } });
}

async function refusal(control: TestControl, method: string, url: string, body: JsonObject = {}) {
  const { status, json } = await control.call(method, url, { body });
  return [status, asObject(json.error)?.param];
}

onEachStore((_, __, fresh) => {
  it('tells its credential once, when it is made, and keeps a digest', async (t) => {
    const control = await start(t, { store: await fresh() });
    const made = await create(control);
    const secret = String(made.client_auth);
    assert.match(secret, /^[0-9A-Za-z]{48}$/);
    const { text, json } = await control.call('GET', `${path}/${made.slug}`);
    assert.ok(!text.includes(secret));
    assert.equal(json.masked_client_auth, `${secret.slice(0, 2)}*****${secret.slice(-3)}`);
    for (const name of ['client_auth', 'stored_secret', 'default_of']) assert.ok(!(name in json), name);
    const [row] = await dbOf(control)('deployments');
    assert.match(row.stored_secret, /^[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify([row, await dbOf(control)('audit_logs')]).includes(secret));
  });

  it('gets another credential when it is rotated, and keeps it otherwise', async (t) => {
    const control = await start(t, { store: await fresh() });
    const made = await create(control);
    const stored = async () => (await dbOf(control)('deployments'))[0].stored_secret;
    const before = await stored();
    assert.ok(!('client_auth' in (await update(control, made.id, { name: 'Other' }))));
    assert.ok(!('client_auth' in (await update(control, made.id, { rotate_auth: false }))));
    assert.equal(await stored(), before);
    const rotated = await update(control, made.id, { rotate_auth: true });
    assert.match(String(rotated.client_auth), /^[0-9A-Za-z]{48}$/);
    assert.notEqual(rotated.client_auth, made.client_auth);
    assert.notEqual(await stored(), before);
  });

  it('is the default alone, and then is neither removed nor archived', async (t) => {
    const control = await start(t, { store: await fresh() });
    const [one, two] = [await create(control, { is_default: 1 }), await create(control, { is_default: 1 })];
    const flag = async ({ id }: JsonObject) => (await get(control, id)).is_default;
    assert.deepEqual([await flag(one), await flag(two)], [0, 1]);
    assert.equal((await control.call('DELETE', `${path}/${two.id}`)).status, 409);
    assert.equal((await refusal(control, 'PUT', `${path}/${two.id}`, { status: 'archived' }))[0], 409);
    await update(control, one.id, { is_default: 1 });
    assert.deepEqual([await flag(one), await flag(two)], [1, 0]);
    assert.deepEqual(await control.ok('DELETE', `${path}/${two.id}`), {});
  });

  it('is archived when it is removed: shown only to those who ask, its slug free again', async (t) => {
    const control = await start(t, { store: await fresh() });
    const { id } = await create(control, { slug: 'frankfurt' });
    await control.ok('DELETE', `${path}/${id}`);
    assert.equal((await control.call('GET', `${path}/${id}`)).status, 404);
    assert.equal((await control.ok('GET', path)).total, 0);
    const archived = await control.ok('GET', `${path}?status=archived`);
    assert.deepEqual(
      asObjects(archived.data).map((item) => item.id),
      [id],
    );
    assert.equal((await create(control, { slug: 'frankfurt' })).slug, 'frankfurt');
  });

  it('is shown as it was made', async (t) => {
    const control = await start(t, { store: await fresh() });
    const config = { log_store: 's3', nested: { a: [1, 2] } };
    const { id } = await create(control, { type: 'non-production', deployment_config: config, tags: { team: 'a' } });
    const shown = await get(control, id);
    assert.deepEqual(
      [shown.name, shown.type, shown.deployment_config, shown.tags, shown.is_default, shown.status, shown.object],
      ['Frankfurt', 'non-production', config, { team: 'a' }, 0, 'active', 'deployment'],
    );
    const list = await control.ok('GET', `${path}?type=production`);
    assert.equal(list.total, 0);
  });

  it('takes and shows its configuration under the name config too', async (t) => {
    const control = await start(t, { store: await fresh() });
    const { id } = await create(control, { config: { a: 1 }, slug: null });
    const shown = await get(control, id);
    assert.deepEqual([shown.config, shown.deployment_config], [{ a: 1 }, { a: 1 }]);
    await control.ok('PUT', `${path}/${id}`, { body: { config: { b: 2 } } });
    assert.deepEqual((await get(control, id)).deployment_config, { b: 2 });
    await control.ok('PUT', `${path}/${id}`, { body: { name: 'Paris' } });
    assert.deepEqual((await get(control, id)).config, { b: 2 });
  });
});

describe('a deployment', () => {
  const faults: readonly [string, JsonObject, string][] = [
    ['without a name', { name: '' }, 'name'],
    ['of another type', { type: 'staging' }, 'type'],
    ['with a slug of 51 characters', { slug: 'x'.repeat(51) }, 'slug'],
    ['with a slug of other characters', { slug: 'a b' }, 'slug'],
    ['with a config that is no object', { deployment_config: 'x' }, 'deployment_config'],
    ['with a config that is too large, by its other name', { config: { a: 'x'.repeat(70_000) } }, 'deployment_config'],
    ['with a config that is too large', { deployment_config: { a: 'x'.repeat(70_000) } }, 'deployment_config'],
    [
      'at an address of the metadata service',
      { auth_settings: { gateway_base_url: 'http://169.254.169.254' } },
      'auth_settings.gateway_base_url',
    ],
    [
      'at a private address',
      { auth_settings: { mcp_gateway_base_url: 'http://10.0.0.1' } },
      'auth_settings.mcp_gateway_base_url',
    ],
    [
      'for a workspace that is none',
      { auth_settings: { workspaces_allowed: ['none'] } },
      'auth_settings.workspaces_allowed',
    ],
    [
      'with a flag that is none',
      { auth_settings: { is_dataservice_hosted: 'yes' } },
      'auth_settings.is_dataservice_hosted',
    ],
    [
      'with a subject for a workspace that is none',
      { auth_settings: { jwt_sub_workspace_mapping: { a: 'none' } } },
      'auth_settings.jwt_sub_workspace_mapping.a',
    ],
  ];
  for (const [what, more, param] of faults) {
    it(`${what} is refused`, async (t) => {
      const control = await start(t);
      assert.deepEqual(await refusal(control, 'POST', path, { name: 'x', ...more }), [400, param]);
    });
  }

  it('takes a slug of 50 characters, once in an organisation', async (t) => {
    const control = await start(t);
    const slug = 'x'.repeat(50);
    assert.equal((await create(control, { slug })).slug, slug);
    assert.equal((await control.call('POST', path, { body: { name: 'y', slug } })).status, 409);
  });

  it('of another organisation is not found', async (t) => {
    const control = await start(t);
    const { id } = await create(control);
    const as = { organisationId: 'another' };
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { body: { name: 'x' } } : {};
      assert.equal((await control.call(method, `${path}/${id}`, { as, ...body })).status, 404, method);
    }
  });

  for (const [method, suffix, scope] of [
    ['GET', '', 'list'],
    ['POST', '', 'create'],
    ['GET', '/:id', 'read'],
    ['PUT', '/:id', 'update'],
    ['DELETE', '/:id', 'delete'],
  ] as const) {
    it(`needs deployments.${scope} to ${method} ${suffix || 'the list'}`, async (t) => {
      const control = await start(t);
      const { id } = await create(control);
      const scopes = ['list', 'create', 'read', 'update', 'delete'].filter((one) => one !== scope);
      const { status } = await control.call(method, path + suffix.replace(':id', String(id)), {
        as: { scopes: scopes.map((one) => `deployments.${one}`) },
        ...(method === 'GET' ? {} : { body: { name: 'x' } }),
      });
      assert.equal(status, 403);
    });
  }
});

describe('whom a deployment serves', () => {
  it('are all workspaces unless some are named, by id or slug', async (t) => {
    const control = await start(t);
    const one = await workspace(control, 'One');
    const open = await create(control);
    assert.equal((await settings(control, open.id)).allow_all_workspaces, true);
    const { id } = await create(control, { auth_settings: { workspaces_allowed: [one.slug ?? ''] } });
    const { allow_all_workspaces, workspaces_allowed } = await settings(control, id);
    assert.deepEqual([allow_all_workspaces, workspaces_allowed], [false, [one.id]]);
  });

  it('are added to by an update, or replaced where that is asked for', async (t) => {
    const control = await start(t);
    const [one, two] = [await workspace(control, 'One'), await workspace(control, 'Two')];
    const { id } = await create(control, {
      auth_settings: { workspaces_allowed: [one.id ?? ''], is_playground_proxy_allowed: true },
    });
    await update(control, id, { auth_settings: { workspaces_allowed: [two.id ?? ''] } });
    const added = await settings(control, id);
    assert.deepEqual([added.workspaces_allowed, added.is_playground_proxy_allowed], [[one.id, two.id], true]);
    const opened = await control.call('PUT', `/v1/deployments/${id}`, { body: { override_existing: true } });
    assert.deepEqual([opened.status, (opened.json.error as JsonObject).param], [400, 'override_existing']);
    await update(control, id, { auth_settings: { workspaces_allowed: [two.id ?? ''] }, override_existing: true });
    const replaced = await settings(control, id);
    assert.deepEqual([replaced.workspaces_allowed, replaced.is_playground_proxy_allowed], [[two.id], undefined]);
  });

  it('are taken away by name, with what their subjects were mapped to', async (t) => {
    const control = await start(t);
    const [one, two] = [await workspace(control, 'One'), await workspace(control, 'Two')];
    const { id } = await create(control, {
      auth_settings: {
        workspaces_allowed: [one.id ?? '', two.id ?? ''],
        jwt_subs_allowed: ['ada', 'bob'],
        jwt_sub_workspace_mapping: { ada: one.id ?? '', bob: two.slug ?? '' },
      },
    });
    await update(control, id, { auth_settings: { remove_workspaces_allowed: [one.slug ?? ''] } });
    const fewer = await settings(control, id);
    assert.deepEqual([fewer.workspaces_allowed, fewer.jwt_sub_workspace_mapping], [[two.id], { bob: two.id }]);
    await update(control, id, { auth_settings: { remove_subs_allowed: ['bob'] } });
    const none = await settings(control, id);
    assert.deepEqual([none.jwt_subs_allowed, none.jwt_sub_workspace_mapping], [['ada'], {}]);
  });

  it('do not become all when the last one is taken away', async (t) => {
    const control = await start(t);
    const one = await workspace(control, 'One');
    const { id } = await create(control, { auth_settings: { workspaces_allowed: [one.id ?? ''] } });
    await update(control, id, { auth_settings: { remove_workspaces_allowed: [one.id ?? ''] } });
    const { allow_all_workspaces, workspaces_allowed } = await settings(control, id);
    assert.deepEqual([allow_all_workspaces, workspaces_allowed], [false, []]);
  });

  it('cannot be all and some at once', async (t) => {
    const control = await start(t);
    const one = await workspace(control, 'One');
    const auth_settings = { allow_all_workspaces: true, workspaces_allowed: [one.id ?? ''] };
    const expected = [400, 'auth_settings.workspaces_allowed'];
    assert.deepEqual(await refusal(control, 'POST', path, { name: 'x', auth_settings }), expected);
  });

  it('cannot be mapped to a workspace, or as a subject, that is not allowed', async (t) => {
    const control = await start(t);
    const [one, two] = [await workspace(control, 'One'), await workspace(control, 'Two')];
    const mapping = { jwt_sub_workspace_mapping: { ada: two.id ?? '' } };
    const expected = [400, 'auth_settings.jwt_sub_workspace_mapping.ada'];
    const here = { workspaces_allowed: [one.id ?? ''], ...mapping };
    assert.deepEqual(await refusal(control, 'POST', path, { name: 'x', auth_settings: here }), expected);
    const others = { jwt_subs_allowed: ['bob'], ...mapping };
    assert.deepEqual(await refusal(control, 'POST', path, { name: 'x', auth_settings: others }), expected);
  });
});
