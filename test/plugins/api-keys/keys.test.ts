import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { everyScope, inEachWorld } from './world.ts';

inEachWorld((world) => {
  it('the first start prints a key of the organisation with every scope that it can have', async () => {
    const { c } = world();
    const self = await c.ok('GET', '/v1/api-keys/self/details', { key: c.adminKey });
    assert.equal(self.type, 'organisation-service');
    assert.deepEqual(self.scopes, everyScope.organisation);
    assert.equal(c.welcome.filter((line) => line.includes(c.adminKey)).length, 1);
  });

  it('a key is shown in clear once, works, and is masked from then on', async () => {
    const { c, key, read, statusOf, workspace } = world();
    const workspaceId = await workspace();
    const made = await key('workspace/service', { name: 'web', workspace_id: workspaceId, scopes: ['configs.read'] });
    assert.match(made.key, /^[0-9A-Za-z]{40}$/);
    assert.equal(await statusOf(made.key), 200);
    const shown = await read(made.id);
    assert.equal(shown.key, `${made.key.slice(0, 2)}*****${made.key.slice(-3)}`);
    const { db } = c.gateway.control?.store ?? {};
    const stored = JSON.stringify([await db?.('api_keys'), await db?.('api_key_secrets'), await db?.('audit_logs')]);
    assert.ok(!stored.includes(made.key), 'no table holds it');
  });

  it('takes null for whatever it does not have', async () => {
    const { key, read } = world();
    const none = {
      workspace_id: null,
      user_id: null,
      description: null,
      usage_limits: null,
      rate_limits: null,
      alert_emails: null,
      expires_at: null,
      defaults: null,
      rotation_policy: null,
    };
    const made = await key('organisation/service', { name: 'plain', scopes: ['workspaces.list'], ...none });
    const shown = await read(made.id);
    assert.deepEqual([shown.type, shown.workspace_id, shown.usage_limits], ['organisation-service', null, null]);
  });

  it('reads back with every member of the recorded shape', async () => {
    const { key, read, workspace, organisationId } = world();
    const workspaceId = await workspace();
    const made = await key('workspace/service', { name: 'web', workspace_id: workspaceId, scopes: ['configs.read'] });
    const { created_at: created, last_updated_at: updated, key: masked, ...rest } = await read(made.id);
    assert.equal(typeof created, 'number');
    assert.equal(typeof updated, 'number');
    assert.match(String(masked), /^.{2}\*{5}.{3}$/);
    assert.deepEqual(rest, {
      id: made.id,
      name: 'web',
      description: null,
      type: 'workspace-service',
      organisation_id: organisationId,
      workspace_id: workspaceId,
      user_id: null,
      status: 'active',
      creation_mode: 'api',
      rate_limits: [],
      usage_limits: null,
      reset_usage: null,
      expires_at: null,
      last_reset_at: null,
      alert_emails: null,
      expiry_enforced: 0,
      next_usage_reset_at: null,
      allow_config_override: null,
      api_key_defaults_id: null,
      scopes: ['configs.read'],
      defaults: { metadata: null, config_id: null, allow_config_override: true },
      object: 'api-key',
    });
  });

  it('keeps all that a body gives, and takes a budget as an object or a list of one', async () => {
    const { c, key, read, workspace, config } = world();
    const workspaceId = await workspace();
    const { slug } = await config(workspaceId);
    const budget = { credit_limit: 10, type: 'cost', alert_threshold: 8, periodic_reset: 'monthly' };
    const given = {
      description: 'For the shop',
      alert_emails: ['ops@example.com'],
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      expires_at: '2027-01-01T00:00:00Z',
    };
    const made = await key('workspace/service', {
      ...given,
      name: 'shop',
      workspace_id: workspaceId,
      scopes: ['completions.write'],
      usage_limits: [budget],
      defaults: { config_id: slug, metadata: { team: 'a' } },
      allow_config_override: 0,
      rotation_policy: { rotation_period: 'weekly' },
    });
    const shown = await read(made.id);
    assert.equal(shown.description, given.description);
    assert.deepEqual(shown.alert_emails, given.alert_emails);
    assert.deepEqual(shown.rate_limits, given.rate_limits);
    assert.equal(shown.expires_at, Date.parse(given.expires_at) / 1000);
    assert.deepEqual(shown.usage_limits, { ...budget, periodic_reset_days: null, next_usage_reset_at: null });
    assert.deepEqual(shown.defaults, { config_id: slug, metadata: { team: 'a' }, allow_config_override: false });
    assert.equal(shown.allow_config_override, 0);
    assert.deepEqual(shown.rotation_policy, {
      rotation_period: 'weekly',
      rotation_period_days: null,
      next_rotation_at: '2026-11-23T00:00:00.000Z',
      key_transition_period_ms: 1_800_000,
      status: 'ACTIVE',
    });
    await c.ok('PUT', `/v1/api-keys/${made.id}`, {
      key: c.adminKey,
      body: {
        name: 'shop 2',
        usage_limits: null,
        defaults: { metadata: null },
        rotation_policy: null,
        description: null,
      },
    });
    const changed = await read(made.id);
    assert.equal(changed.name, 'shop 2');
    assert.equal(changed.usage_limits, null);
    assert.equal(changed.description, null);
    assert.deepEqual(changed.defaults, { config_id: slug, metadata: null, allow_config_override: false });
    assert.ok(!('rotation_policy' in changed));
    assert.deepEqual(changed.scopes, ['completions.write'], 'what is not named stays');
  });

  it('is also made by the older routes, whose body names the type', async () => {
    const { c, read, workspace } = world();
    const workspaceId = await workspace();
    const body = { name: 'old', workspace_id: workspaceId, scopes: ['configs.read'] };
    for (const [path, type] of [
      ['/v1/api-keys', { type: 'workspace-service' }],
      ['/v1/admin/api-keys', { type: 'workspace', 'sub-type': 'service' }],
      ['/v2/api-keys', { type: 'workspace', sub_type: 'service' }],
    ] as const) {
      const made = await c.ok('POST', path, { key: c.adminKey, body: { ...body, ...type } });
      assert.equal((await read(String(made.id))).type, 'workspace-service');
    }
  });

  const refused: readonly [string, string, JsonObject, string][] = [
    ["a user's key of the organisation", 'organisation/user', {}, 'type'],
    ['a type that there is not', 'team/service', {}, 'type'],
    ['no scopes', 'workspace/service', { scopes: [] }, 'scopes'],
    ['scopes left out', 'workspace/service', { scopes: null }, 'scopes'],
    ['a scope of another type', 'workspace/service', { scopes: ['audit_logs.list'] }, 'scopes'],
    ['no name', 'workspace/service', { name: '' }, 'name'],
    ['an end in the past', 'workspace/service', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an owner for a service', 'workspace/service', { user_id: 'u' }, 'user_id'],
    ['an unknown config', 'workspace/service', { defaults: { config_id: 'pc-nope' } }, 'defaults.config_id'],
    [
      'metadata of more than 128 characters',
      'workspace/service',
      { defaults: { metadata: { a: 'x'.repeat(129) } } },
      'defaults.metadata.a',
    ],
    ['two budgets', 'workspace/service', { usage_limits: [{ credit_limit: 1 }, { credit_limit: 2 }] }, 'usage_limits'],
    ['what is no address', 'workspace/service', { alert_emails: ['ops'] }, 'alert_emails[0]'],
    [
      'a config for a key of the organisation',
      'organisation/service',
      { scopes: ['audit_logs.list'], defaults: { config_id: 'x' } },
      'defaults.config_id',
    ],
  ];
  for (const [what, path, fields, param] of refused) {
    it(`is refused with ${what}`, async () => {
      const { c, workspace } = world();
      const body = { name: 'k', scopes: ['configs.read'], workspace_id: await workspace(), ...fields };
      const reply = await c.call('POST', `/v1/api-keys/${path}`, { key: c.adminKey, body });
      assert.equal(reply.status, 400, reply.text);
      assert.equal((reply.json.error as JsonObject).param, param, reply.text);
    });
  }

  it('needs the workspace when its maker is bound to none, by id or slug', async () => {
    const { c, workspace, read } = world();
    const body = { name: 'k', scopes: ['configs.read'] };
    const without = await c.call('POST', '/v1/api-keys/workspace/service', { key: c.adminKey, body });
    assert.equal(without.status, 400);
    const workspaceId = await workspace();
    const { slug } = await c.ok('GET', `/v1/admin/workspaces/${workspaceId}`, { key: c.adminKey });
    const made = await c.ok('POST', '/v1/api-keys/workspace/service', {
      key: c.adminKey,
      body: { ...body, workspace_id: String(slug) },
    });
    assert.equal((await read(String(made.id))).workspace_id, workspaceId);
  });

  it('takes no config of another workspace', async () => {
    const { c, workspace, config } = world();
    const [mine, other] = [await workspace(), await workspace()];
    const { id } = await config(other);
    const reply = await c.call('POST', '/v1/api-keys/workspace/service', {
      key: c.adminKey,
      body: { name: 'k', scopes: ['configs.read'], workspace_id: mine, defaults: { config_id: id } },
    });
    assert.equal(reply.status, 400);
  });

  it('lists by page, workspace and ids', async () => {
    const { c, key, workspace } = world();
    const workspaceId = await workspace();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push((await key('workspace/service', { name, workspace_id: workspaceId, scopes: ['configs.read'] })).id);
    }
    const list = (query: string) => c.ok('GET', `/v1/api-keys?${query}`, { key: c.adminKey });
    const all = await list(`workspace_id=${workspaceId}`);
    assert.equal(all.total, 3);
    const page = await list(`workspace_id=${workspaceId}&page_size=2&current_page=1`);
    assert.equal(page.total, 3);
    assert.equal((page.data as readonly unknown[]).length, 1);
    const some = await list(`ids=${ids[0]},${ids[2]},nobody`);
    assert.deepEqual((some.data as readonly JsonObject[]).map(({ id }) => id).sort(), [ids[0], ids[2]].sort());
    assert.ok(!JSON.stringify(all).includes('"key":"undefined'));
  });

  it('is refused at once when it is removed, and is gone with its secrets', async () => {
    const { c, key, statusOf, workspace } = world();
    const made = await key('workspace/service', {
      name: 'k',
      workspace_id: await workspace(),
      scopes: ['configs.read'],
    });
    assert.equal(await statusOf(made.key), 200);
    await c.ok('DELETE', `/v1/api-keys/${made.id}`, { key: c.adminKey });
    assert.equal(await statusOf(made.key), 401);
    assert.equal((await c.call('GET', `/v1/api-keys/${made.id}`, { key: c.adminKey })).status, 404);
    const rows = await c.gateway.control?.store.db('api_key_secrets').where('api_key_id', made.id);
    assert.deepEqual(rows, []);
  });

  it('ends with its time, and lives on when it gets more', async () => {
    const { c, key, read, statusOf, workspace } = world();
    const soon = new Date(c.now() + 60_000).toISOString();
    const body = { name: 'k', workspace_id: await workspace(), scopes: ['configs.read'], expires_at: soon };
    const made = await key('workspace/service', body);
    assert.equal(await statusOf(made.key), 200);
    c.advance(61_000);
    assert.equal(await statusOf(made.key), 401);
    assert.equal((await read(made.id)).status, 'expired');
    await c.ok('PUT', `/v1/api-keys/${made.id}`, { key: c.adminKey, body: { expires_at: null } });
    assert.equal(await statusOf(made.key), 200);
    assert.equal((await read(made.id)).status, 'active');
  });

  it('that has used up its budget is refused by name until it is reset, or allowed more', async () => {
    const { c, key, read, workspace } = world();
    const made = await key('workspace/service', {
      name: 'spent',
      workspace_id: await workspace(),
      scopes: ['configs.read'],
      usage_limits: { credit_limit: 5 },
    });
    const exhaust = () => c.gateway.control?.store.db('api_keys').where('id', made.id).update({ status: 'exhausted' });
    const put = (body: JsonObject) => c.ok('PUT', `/v1/api-keys/${made.id}`, { key: c.adminKey, body });
    await exhaust();
    await put({ description: 'touched, so that the directory hears of it' });
    const refusal = await c.call('GET', '/v1/api-keys/self/details', { key: made.key });
    assert.equal(refusal.status, 412);
    assert.match(refusal.text, /"spent\\"|spent/);
    await put({ usage_limits: { credit_limit: 6 } });
    assert.equal((await read(made.id)).status, 'active');
    await exhaust();
    await put({ usage_limits: { credit_limit: 6 } });
    assert.equal((await read(made.id)).status, 'exhausted', 'the same limit lifts nothing');
    await put({ reset_usage: true });
    const reset = await read(made.id);
    assert.equal(reset.status, 'active');
    assert.equal(typeof reset.last_reset_at, 'number');
  });

  it('tells itself about itself, whatever its type', async () => {
    const { c, key, workspace, person } = world();
    const workspaceId = await workspace();
    const userId = await person({ workspaceId });
    const made = await key('workspace/user', {
      name: 'mine',
      workspace_id: workspaceId,
      user_id: userId,
      scopes: ['completions.write'],
    });
    const self = await c.ok('GET', '/v1/api-keys/self/details', { key: made.key });
    assert.equal(self.id, made.id);
    assert.equal(self.user_id, userId);
    const session = await c.call('GET', '/v1/api-keys/self/details', {
      as: { userId, scopes: ['configs.read'], organisationRole: 'member' },
    });
    assert.equal(session.status, 404);
  });

  it('is of no other organisation', async () => {
    const { c, key, workspace } = world();
    const made = await key('workspace/service', {
      name: 'k',
      workspace_id: await workspace(),
      scopes: ['configs.read'],
    });
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/rotated-secret'],
    ] as const) {
      const reply = await c.call(method, `/v1/api-keys/${made.id}${path}`, {
        as: { organisationId: 'another' },
        ...(method === 'GET' ? {} : { body: {} }),
      });
      assert.equal(reply.status, 404, `${method} ${path}`);
    }
    const listed = await c.ok('GET', '/v1/api-keys', { as: { organisationId: 'another' } });
    assert.equal(listed.total, 0);
  });

  it('goes with its workspace, and keeps that from going without force', async () => {
    const { c, key, statusOf, workspace } = world();
    const workspaceId = await workspace();
    const made = await key('workspace/service', { name: 'k', workspace_id: workspaceId, scopes: ['configs.read'] });
    assert.equal(await statusOf(made.key), 200);
    const refusal = await c.call('DELETE', `/v1/admin/workspaces/${workspaceId}`, { key: c.adminKey, body: {} });
    assert.equal(refusal.status, 409);
    await c.ok('DELETE', `/v1/admin/workspaces/${workspaceId}`, { key: c.adminKey, body: { force_delete: true } });
    assert.equal(await statusOf(made.key), 401);
  });
});
