import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { everyScope, inEachWorld, type World } from './world.ts';

/** A workspace with a manager, and a key that the manager has made there. */
async function managed(world: World, scopes: readonly string[]) {
  const workspaceId = await world.workspace();
  const manager = await world.person({ workspaceId, role: 'manager' });
  const made = await world.c.ok('POST', '/v1/api-keys/workspace/service', {
    as: world.session(manager, workspaceId, 'manager'),
    body: { name: 'k', workspace_id: workspaceId, scopes: [...scopes] },
  });
  return { workspaceId, manager, id: String(made.id), key: String(made.key) };
}

const statuses = (world: World, method: string, path: string, key: string) => async (body: JsonObject) =>
  (await world.c.call(method, path, { key, body })).status;

inEachWorld((given) => {
  it("a manager does not become admin through a service's key", async () => {
    const world = given();
    const { workspaceId, manager, key } = await managed(world, [
      'workspace_users.create',
      'workspace_users.update',
      'workspaces.update',
    ]);
    const path = `/v1/workspaces/${workspaceId}`;
    const role = statuses(world, 'PUT', `${path}/users/${manager}`, key);
    assert.equal(await role({ role: 'admin' }), 403);
    assert.equal(await role({ role: 'manager' }), 200, 'up to the rank of its maker');
    const workspace = statuses(world, 'PUT', path, key);
    await world.c.ok('PUT', '/v1/organisation', { body: { overrides: { security_settings: true } } });
    assert.equal(await workspace({ security_settings: { membersWriteConfigs: true } }), 403);
    assert.equal(await workspace({ description: 'ours' }), 200);
    const invite = statuses(world, 'POST', '/v1/users/invites', key);
    const workspaces = [{ id: workspaceId, role: 'admin' }];
    assert.equal(await invite({ email: 'rank@example.com', role: 'member', workspaces }), 403);
  });

  it('nor through a key that such a key has made', async () => {
    const world = given();
    const scopes = ['workspace_service_api_keys.create', 'workspace_users.update'];
    const { workspaceId, manager, key } = await managed(world, scopes);
    const made = await world.c.ok('POST', '/v1/api-keys/workspace/service', { key, body: { name: 'k', scopes } });
    const role = statuses(world, 'PUT', `/v1/workspaces/${workspaceId}/users/${manager}`, String(made.key));
    assert.equal(await role({ role: 'admin' }), 403);
  });

  it("nor through an admin's own key, made or rotated with one", async () => {
    const world = given();
    const { workspaceId, key } = await managed(world, everyScope.service);
    const admin = await world.person({ workspaceId, role: 'admin' });
    const body = { name: 'k', scopes: ['workspace_users.update'], user_id: admin };
    assert.equal(await statuses(world, 'POST', '/v1/api-keys/workspace/user', key)(body), 403);
    const own = await world.key('workspace/user', { ...body, workspace_id: workspaceId });
    assert.equal(await statuses(world, 'POST', `/v1/api-keys/${own.id}/rotate`, key)({}), 403);
  });

  it("nor by taking over, or widening, a service's key that an admin has made", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const manager = await world.person({ workspaceId, role: 'manager' });
    const as = world.session(manager, workspaceId, 'manager');
    const body = { name: 'k', workspace_id: workspaceId };
    const wide = await world.key('workspace/service', { ...body, scopes: ['workspace_users.update'] });
    const plain = await world.key('workspace/service', { ...body, scopes: ['configs.read'] });
    const rotate = (id: string) => world.c.call('POST', `/v1/api-keys/${id}/rotate`, { as, body: {} });
    assert.equal((await rotate(wide.id)).status, 403);
    const { key } = (await rotate(plain.id)).json;
    const scopes = ['configs.read', 'workspace_users.update'];
    await world.c.ok('PUT', `/v1/api-keys/${plain.id}`, { as, body: { scopes } });
    const role = statuses(world, 'PUT', `/v1/workspaces/${workspaceId}/users/${manager}`, String(key));
    assert.equal(await role({ role: 'admin' }), 403);
  });

  it('keys that an admin or the organisation has made are bound by no rank', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const member = await world.person({ workspaceId });
    const { key } = await world.key('workspace/service', {
      name: 'k',
      workspace_id: workspaceId,
      scopes: ['workspace_users.update'],
    });
    const role = statuses(world, 'PUT', `/v1/workspaces/${workspaceId}/users/${member}`, key);
    assert.equal(await role({ role: 'admin' }), 200);
  });
});
