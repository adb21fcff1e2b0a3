import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type JsonObject, scopesOfKeyType, scopesOfWorkspaceRole } from 'portcullis/sdk';
import { inEachWorld, type World } from './world.ts';

const personal = (world: World, workspaceId: string, userId: string, fields: JsonObject = {}) =>
  world.c.call('POST', '/v1/api-keys/workspace/user', {
    key: world.c.adminKey,
    body: { name: 'mine', workspace_id: workspaceId, user_id: userId, scopes: ['completions.write'], ...fields },
  });

const keysOf = async (world: World, workspaceId: string): Promise<readonly JsonObject[]> => {
  const { data } = await world.c.ok('GET', `/v1/api-keys?workspace_id=${workspaceId}`, { key: world.c.adminKey });
  return data as readonly JsonObject[];
};

inEachWorld((given) => {
  it('a user has no more keys in a workspace than the settings allow', async () => {
    const world = given();
    const workspaceId = await world.workspace({ user_api_key_count: 2 });
    const userId = await world.person({ workspaceId });
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await personal(world, workspaceId, userId)).status);
    assert.deepEqual(statuses, [200, 200, 400]);
    const other = await world.person({ workspaceId });
    assert.equal((await personal(world, workspaceId, other)).status, 200, 'each has as many');
    const service = { name: 's', workspace_id: workspaceId, scopes: ['configs.read'] };
    await world.key('workspace/service', service);
  });

  it("users' keys end by the settings where nothing else is asked for", async () => {
    const world = given();
    const workspaceId = await world.workspace({ user_api_key_ttl: 3600 });
    const userId = await world.person({ workspaceId });
    const made = (await personal(world, workspaceId, userId)).json;
    const shown = await world.read(String(made.id));
    assert.equal(Number(shown.expires_at) - Number(shown.created_at), 3600);
    assert.equal(shown.expiry_enforced, 1);
    const service = await world.key('workspace/service', {
      name: 's',
      workspace_id: workspaceId,
      scopes: ['configs.read'],
    });
    assert.equal((await world.read(service.id)).expires_at, null, 'services have no such end');
  });

  it("users' keys live no longer than the settings allow, counted from their making", async () => {
    const world = given();
    const workspaceId = await world.workspace({ user_api_key_max_ttl: 86_400 });
    const userId = await world.person({ workspaceId });
    const at = (ms: number) => new Date(world.c.now() + ms).toISOString();
    const tooLong = await personal(world, workspaceId, userId, { expires_at: at(2 * 86_400_000) });
    assert.equal(tooLong.status, 400);
    assert.equal((tooLong.json.error as JsonObject).param, 'expires_at');
    const { id } = (await personal(world, workspaceId, userId, { expires_at: at(3_600_000) })).json;
    const put = (body: JsonObject) => world.c.call('PUT', `/v1/api-keys/${id}`, { key: world.c.adminKey, body });
    assert.equal((await put({ expires_at: null })).status, 400);
    assert.equal((await put({ expires_at: at(2 * 86_400_000) })).status, 400);
    assert.equal((await put({ expires_at: at(80_000_000) })).status, 200);
    const endless = (await personal(world, workspaceId, userId)).json;
    const shown = await world.read(String(endless.id));
    assert.equal(Number(shown.expires_at) - Number(shown.created_at), 86_400);
  });

  it("keys' metadata keep the organisation's schema, and get its defaults", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const schema = {
      type: 'object',
      properties: { team: { type: 'string', enum: ['a', 'b'] }, tier: { type: 'string', default: 'standard' } },
      required: ['team'],
      additionalProperties: true,
    };
    const set = (apiKey: JsonObject | null) =>
      world.c.ok('PUT', '/v1/organisation', { body: { metadata_schemas: { api_key: apiKey } } });
    await set(schema);
    try {
      const make = (defaults: JsonObject) =>
        world.c.call('POST', '/v1/api-keys/workspace/service', {
          key: world.c.adminKey,
          body: { name: 'k', workspace_id: workspaceId, scopes: ['configs.read'], defaults },
        });
      assert.equal((await make({})).status, 400);
      assert.equal((await make({ metadata: { team: 'c' } })).status, 400);
      const made = await make({ metadata: { team: 'a' } });
      assert.equal(made.status, 200, made.text);
      const shown = await world.read(String(made.json.id));
      assert.deepEqual((shown.defaults as JsonObject).metadata, { team: 'a', tier: 'standard' });
      const put = (defaults: JsonObject) =>
        world.c.call('PUT', `/v1/api-keys/${made.json.id}`, { key: world.c.adminKey, body: { defaults } });
      assert.equal((await put({ metadata: {} })).status, 400);
      assert.equal((await put({ allow_config_override: true })).status, 200, 'what is not changed is not asked about');
    } finally {
      await set(null);
    }
  });

  it('whoever joins a workspace gets a key where the settings say so, whose secret only they can fetch, once', async () => {
    const world = given();
    const workspaceId = await world.workspace({
      user_api_key_auto_create: true,
      user_api_key_ttl: 7200,
      user_api_key_rotation_period: 30,
    });
    const { id: configId, slug } = await world.config(workspaceId);
    await world.c.ok('PUT', `/v1/admin/workspaces/${workspaceId}`, {
      key: world.c.adminKey,
      body: { defaults: { user_api_key_config: configId } },
    });
    const userId = await world.person({ workspaceId, role: 'member' });
    const [key, ...more] = await keysOf(world, workspaceId);
    assert.deepEqual(more, []);
    assert.ok(key !== undefined);
    assert.equal(key.name, 'Ada Lovelace default key');
    assert.equal(key.creation_mode, 'auto');
    assert.equal(key.user_id, userId);
    assert.equal((key.defaults as JsonObject).config_id, slug);
    assert.equal(Number(key.expires_at) - Number(key.created_at), 7200);
    assert.equal((key.rotation_policy as JsonObject).rotation_period_days, 30);
    const held = scopesOfKeyType('workspace-user');
    assert.deepEqual(
      [...(key.scopes as readonly string[])].sort(),
      [...scopesOfWorkspaceRole('member', {})].filter((scope) => held.has(scope)).sort(),
    );
    const path = `/v1/api-keys/${key.id}/rotated-secret`;
    const other = await world.person({ workspaceId });
    const asOther = world.session(other, workspaceId, 'member');
    assert.equal((await world.c.call('POST', path, { as: asOther })).status, 404);
    const as = world.session(userId, workspaceId, 'member');
    const { key: secret } = await world.c.ok('POST', path, { as });
    assert.equal(await world.statusOf(String(secret)), 200);
    assert.equal((await world.c.call('POST', path, { as })).status, 404, 'once');
  });

  it('nobody gets a key by joining where the settings do not say so', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    await world.person({ workspaceId });
    assert.deepEqual(await keysOf(world, workspaceId), []);
  });

  it('whoever leaves a workspace has no keys there, at once, and keeps those elsewhere', async () => {
    const world = given();
    const [left, kept] = [await world.workspace(), await world.workspace()];
    const userId = await world.person({ workspaceId: left });
    await world.c.ok('POST', `/v1/admin/workspaces/${kept}/users`, {
      key: world.c.adminKey,
      body: { users: [{ id: userId, role: 'member' }] },
    });
    const secrets = [];
    for (const workspaceId of [left, kept]) secrets.push(String((await personal(world, workspaceId, userId)).json.key));
    for (const secret of secrets) assert.equal(await world.statusOf(secret), 200);
    await world.c.ok('DELETE', `/v1/admin/workspaces/${left}/users/${userId}`, { key: world.c.adminKey });
    assert.deepEqual(await Promise.all(secrets.map((secret) => world.statusOf(secret))), [401, 200]);
    assert.deepEqual(await keysOf(world, left), []);
  });

  it('whoever leaves the organisation has no keys at all', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const userId = await world.person({ workspaceId });
    const secret = String((await personal(world, workspaceId, userId)).json.key);
    assert.equal(await world.statusOf(secret), 200);
    await world.c.ok('DELETE', `/v1/admin/users/${userId}`, { key: world.c.adminKey });
    assert.equal(await world.statusOf(secret), 401);
    assert.deepEqual(await keysOf(world, workspaceId), []);
  });

  it('an invitation may promise a key, which gives no more than the role', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const invite = await world.c.ok('POST', '/v1/admin/users/invites', {
      key: world.c.adminKey,
      body: {
        email: `new-${Math.random().toString(36).slice(2)}@example.com`,
        role: 'member',
        workspaces: [{ id: workspaceId, role: 'member' }],
        workspace_api_key_details: {
          name: 'Promised',
          scopes: ['completions.write', 'configs.create', 'policies.read'],
        },
      },
    });
    const token = new URL(String(invite.invite_link)).searchParams.get('token') ?? '';
    await world.c.ok('POST', '/v1/invites/accept', { body: { token } });
    const [key] = await keysOf(world, workspaceId);
    assert.equal(key?.name, 'Promised');
    assert.deepEqual(key?.scopes, ['completions.write']);
    assert.equal(key?.creation_mode, 'auto');
  });
});
