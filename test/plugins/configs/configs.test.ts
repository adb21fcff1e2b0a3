import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import { type CallOptions, startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const plugins = ['audit-log', 'tenancy', 'configs'];
const retry = (attempts: number): JsonObject => ({ retry: { attempts } });

/** A control plane with a workspace, and calls that name it. */
async function start(t: Parameters<typeof startControl>[0], store?: Parameters<typeof startControl>[1]) {
  const control = await startControl(t, { plugins, ...store });
  const workspace = await newWorkspace(control, 'Team');
  const create = (body: JsonObject = {}) =>
    control.ok('POST', '/v1/configs', {
      body: { name: 'Cencora', config: retry(3), workspace_id: workspace, ...body },
    });
  return { control, workspace, create };
}

async function newWorkspace(control: TestControl, name: string): Promise<string> {
  return String((await control.ok('POST', '/v1/admin/workspaces', { body: { name } })).id);
}

async function refused(control: TestControl, method: string, path: string, options: CallOptions = {}) {
  const { status, json } = await control.call(method, path, options);
  return { status, param: asObject(json.error)?.param, message: String(json.message) };
}

onEachStore((_, __, fresh) => {
  it('keeps a version for every change of the config, newest first', async (t) => {
    const { control, create } = await start(t, { store: await fresh() });
    const made = await create();
    const path = `/v1/configs/${made.slug}`;
    const updated = await control.ok('PUT', path, { body: { config: retry(4) } });
    assert.deepEqual(asObject(updated.data), { version_id: updated.version_id ?? null });
    assert.notEqual(updated.version_id, made.version_id);
    const versions = await control.ok('GET', `${path}/versions`);
    assert.equal(versions.object, 'list');
    assert.equal(versions.total, 2);
    assert.deepEqual(
      asObjects(versions.data).map(({ version_id, config, id }) => ({ version_id, config, id })),
      [
        { version_id: updated.version_id, config: JSON.stringify(retry(4)), id: made.id },
        { version_id: made.version_id, config: JSON.stringify(retry(3)), id: made.id },
      ],
    );
  });

  it('makes no version of what is not another config', async (t) => {
    const { control, create } = await start(t, { store: await fresh() });
    const made = await create();
    const path = `/v1/configs/${made.id}`;
    for (const body of [{ name: 'Other' }, { config: retry(3) }, { config: JSON.stringify(retry(3)) }]) {
      assert.equal((await control.ok('PUT', path, { body })).version_id, made.version_id);
    }
    assert.equal((await control.ok('GET', `${path}/versions`)).total, 1);
    assert.equal((await control.ok('GET', path)).config, JSON.stringify(retry(3)));
  });

  it('has one default a workspace: a new one ends the one before', async (t) => {
    const { control, create, workspace } = await start(t, { store: await fresh() });
    const first = await create({ is_default: 1 });
    const second = await create({ isDefault: 1 });
    const elsewhere = await create({ workspace_id: await newWorkspace(control, 'Other'), is_default: true });
    const flag = async ({ id }: JsonObject) => (await control.ok('GET', `/v1/configs/${id}`)).is_default;
    assert.deepEqual([await flag(first), await flag(second), await flag(elsewhere)], [0, 1, 1]);
    await control.ok('PUT', `/v1/configs/${first.id}`, { body: { is_default: 1, workspace_id: workspace } });
    assert.deepEqual([await flag(first), await flag(second), await flag(elsewhere)], [1, 0, 1]);
    await control.ok('PUT', `/v1/configs/${first.id}`, { body: { is_default: 0 } });
    assert.deepEqual([await flag(first), await flag(second)], [0, 0]);
  });

  it('lists defaults and others apart', async (t) => {
    const { control, create } = await start(t, { store: await fresh() });
    const { id } = await create({ is_default: 1 });
    const { id: other } = await create();
    for (const [filter, ids] of [
      ['1', [id]],
      ['true', [id]],
      ['0', [other]],
    ] as const) {
      const { data } = await control.ok('GET', `/v1/configs?is_default=${filter}`);
      assert.deepEqual(
        asObjects(data).map((config) => config.id),
        ids,
      );
    }
    assert.equal((await control.call('GET', '/v1/configs?is_default=2')).status, 400);
  });

  it('is no default any more once it is archived', async (t) => {
    const { control, create } = await start(t, { store: await fresh() });
    const { id } = await create({ is_default: 1 });
    await control.ok('PUT', `/v1/configs/${id}`, { body: { status: 'archived' } });
    const { is_default, status } = await control.ok('GET', `/v1/configs/${id}`);
    assert.deepEqual([is_default, status], [0, 'archived']);
  });

  it('removes the versions with the config', async (t) => {
    const { control, create } = await start(t, { store: await fresh() });
    const made = await create();
    assert.deepEqual(await control.ok('DELETE', `/v1/configs/${made.slug}`), {});
    const { db } = (control.gateway.control as NonNullable<typeof control.gateway.control>).store;
    assert.deepEqual(await db('config_versions').where('config_id', String(made.id)), []);
    assert.equal((await control.call('GET', `/v1/configs/${made.id}`)).status, 404);
  });
});

describe('a config', () => {
  it('is told of twice when it is made: at the top and in data', async (t) => {
    const { create } = await start(t);
    const made = await create();
    assert.match(String(made.slug), /^pc-cencor-[0-9a-f]{6}$/);
    const { id, slug, version_id } = made;
    assert.deepEqual(made, { success: true, id, slug, version_id, object: 'config', data: { id, slug, version_id } });
  });

  it('is shown as text, flat, by id and by slug', async (t) => {
    const { control, workspace, create } = await start(t);
    const made = await create();
    for (const name of [made.id, made.slug]) {
      const shown = await control.ok('GET', `/v1/configs/${name}`);
      const { created_at, last_updated_at, ...rest } = shown;
      assert.deepEqual(rest, {
        id: made.id,
        name: 'Cencora',
        workspace_id: workspace,
        slug: made.slug,
        organisation_id: control.organisationId,
        is_default: 0,
        status: 'active',
        owner_id: 'test-key',
        updated_by: 'test-key',
        config: '{"retry":{"attempts":3}}',
        format: 'json',
        type: 'ORG_CONFIG',
        version_id: made.version_id,
        object: 'config',
      });
      assert.equal(created_at, last_updated_at);
    }
  });

  it('is taken as an object and as JSON text', async (t) => {
    const { control, create } = await start(t);
    const made = await create({ config: JSON.stringify(retry(2)) });
    const { config } = await control.ok('GET', `/v1/configs/${made.id}`);
    assert.deepEqual(parseJson(String(config)), retry(2));
  });

  it('is listed without its content', async (t) => {
    const { control, workspace, create } = await start(t);
    await create();
    const list = await control.ok('GET', `/v1/configs?workspace_id=${workspace}`);
    assert.equal(list.total, 1);
    const [item] = asObjects(list.data);
    assert.equal(item?.name, 'Cencora');
    for (const name of ['config', 'format', 'type', 'version_id', 'default_of'])
      assert.ok(!(name in (item ?? {})), name);
  });

  it('is searched for by its name', async (t) => {
    const { control, workspace, create } = await start(t);
    await create();
    await create({ name: 'Other' });
    const { data } = await control.ok('GET', `/v1/configs?workspace_id=${workspace}&search=encor`);
    assert.deepEqual(
      asObjects(data).map(({ name }) => name),
      ['Cencora'],
    );
  });

  it('of another workspace is not found', async (t) => {
    const { control, create } = await start(t);
    const made = await create();
    const other = await newWorkspace(control, 'Other');
    const as = { workspaceId: other };
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/versions'],
    ] as const) {
      const options = method === 'PUT' ? { as, body: { name: 'Mine' } } : { as };
      assert.equal((await control.call(method, `/v1/configs/${made.id}${path}`, options)).status, 404, method + path);
    }
  });

  it('of another organisation is not found', async (t) => {
    const { control, create } = await start(t);
    const made = await create();
    const as = { organisationId: 'another' };
    assert.equal((await control.call('GET', `/v1/configs/${made.id}`, { as })).status, 404);
  });

  const faults: readonly [string, unknown, string][] = [
    ['no JSON', '{"retry":', 'config'],
    ['a list', '[]', 'config'],
    ['an unknown strategy', { strategy: { mode: 'best' }, targets: [{ provider: 'echo' }] }, 'config.strategy.mode'],
    ['too many attempts', { retry: { attempts: 99 } }, 'config.retry.attempts'],
    [
      'a fault in a target',
      { strategy: { mode: 'fallback' }, targets: [{ retry: { attempts: 99 } }] },
      'config.targets[0].retry.attempts',
    ],
    ['an unknown key', { retri: {} }, 'config.retri'],
  ];
  for (const [what, config, param] of faults) {
    it(`that holds ${what} is refused, naming ${param}`, async (t) => {
      const { control, workspace, create } = await start(t);
      const body = { name: 'x', config: config as JsonObject, workspace_id: workspace };
      const made = await refused(control, 'POST', '/v1/configs', { body });
      assert.deepEqual([made.status, made.param], [400, param]);
      const { id } = await create();
      const updated = await refused(control, 'PUT', `/v1/configs/${id}`, { body: { config: config as JsonObject } });
      assert.deepEqual([updated.status, updated.param], [400, param]);
    });
  }

  it('is refused when passthrough stands beside targets', async (t) => {
    const { control, workspace } = await start(t);
    const config = { passthrough: true, strategy: { mode: 'fallback' }, targets: [{ provider: 'echo', api_key: 'x' }] };
    const { status, param } = await refused(control, 'POST', '/v1/configs', {
      body: { name: 'x', config, workspace_id: workspace },
    });
    assert.equal(status, 400);
    assert.match(String(param), /^config/);
  });

  it('is not refused for members of the body that nobody knows', async (t) => {
    const { create } = await start(t);
    assert.equal((await create({ id: 'x', unknown: 1 })).success, true);
  });

  for (const [what, body, param] of [
    ['a name', { config: retry(1) }, 'name'],
    ['a config', { name: 'x' }, 'config'],
    ['a name of one character that is no space', { name: ' ', config: retry(1) }, 'name'],
  ] as const) {
    it(`needs ${what}`, async (t) => {
      const { control, workspace } = await start(t);
      const made = await refused(control, 'POST', '/v1/configs', { body: { ...body, workspace_id: workspace } });
      assert.deepEqual([made.status, made.param], [400, param]);
    });
  }

  it('belongs to a workspace', async (t) => {
    const { control } = await start(t);
    const made = await refused(control, 'POST', '/v1/configs', { body: { name: 'x', config: retry(1) } });
    assert.deepEqual([made.status, made.param], [400, 'workspace_id']);
  });

  it('that a workspace gives its users’ keys is not removed, nor archived', async (t) => {
    const { control, workspace, create } = await start(t);
    const made = await create();
    await control.ok('PUT', `/v1/admin/workspaces/${workspace}`, {
      body: { defaults: { user_api_key_config: made.slug ?? '' } },
    });
    const removal = await control.call('DELETE', `/v1/configs/${made.slug}`);
    assert.ok([400, 409].includes(removal.status), removal.text);
    const archival = await control.call('PUT', `/v1/configs/${made.slug}`, { body: { status: 'archived' } });
    assert.equal(archival.status, removal.status);
    assert.equal((await control.ok('GET', `/v1/configs/${made.slug}`)).status, 'active');
    assert.equal((await control.ok('GET', `/v1/configs/${made.slug}/versions`)).total, 1);
  });

  for (const [method, path, scope] of [
    ['GET', '', 'configs.list'],
    ['POST', '', 'configs.create'],
    ['GET', '/:id', 'configs.read'],
    ['GET', '/:id/versions', 'configs.read'],
    ['PUT', '/:id', 'configs.update'],
    ['DELETE', '/:id', 'configs.delete'],
  ] as const) {
    it(`needs ${scope} to ${method} ${path || 'the list'}`, async (t) => {
      const { control, workspace, create } = await start(t);
      const made = await create();
      const url = `/v1/configs${path.replace(':id', String(made.id))}`;
      const body = method === 'POST' || method === 'PUT' ? { body: { name: 'x', config: retry(1) } } : {};
      const others = ['configs.list', 'configs.create', 'configs.read', 'configs.update', 'configs.delete'].filter(
        (one) => one !== scope,
      );
      const without = await control.call(method, url, { ...body, as: { workspaceId: workspace, scopes: others } });
      assert.equal(without.status, 403);
      const allowed = await control.call(method, url, { ...body, as: { workspaceId: workspace, scopes: [scope] } });
      assert.equal(allowed.status, 200, allowed.text);
    });
  }
});

describe('the directory', () => {
  it('gives a config to its own workspace alone, as it stands now, until it is archived', async (t) => {
    const { control, workspace, create } = await start(t);
    const made = await create();
    const other = await newWorkspace(control, 'Other');
    const directory = (control.gateway.control as NonNullable<typeof control.gateway.control>).directory;
    const find = (workspaceId: string, name: unknown) =>
      directory.get('config', control.organisationId, workspaceId, String(name));
    for (const name of [made.id, made.slug]) {
      const entry = await find(workspace, name);
      assert.deepEqual([entry?.id, entry?.versionId, entry?.config], [made.id, made.version_id, retry(3)]);
    }
    assert.equal(await find(other, made.id), undefined);
    await control.ok('PUT', `/v1/configs/${made.id}`, { body: { config: retry(5) } });
    assert.deepEqual((await find(workspace, made.id))?.config, retry(5));
    await control.ok('PUT', `/v1/configs/${made.id}`, { body: { status: 'archived' } });
    assert.equal(await find(workspace, made.id), undefined);
  });
});
