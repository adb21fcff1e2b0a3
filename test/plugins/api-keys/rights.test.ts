import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObject, type JsonObject, scopesOfWorkspaceRole, type WorkspaceRole } from 'portcullis/sdk';
import { everyScope, inEachWorld, type World } from './world.ts';

const keyOf = async (world: World, workspaceId: string, scopes: readonly string[]) =>
  world.key('workspace/service', { name: 'k', workspace_id: workspaceId, scopes: [...scopes] });

const personal = (workspaceId: string, userId: string, scopes: readonly string[] = ['completions.write']) => ({
  name: 'mine',
  workspace_id: workspaceId,
  user_id: userId,
  scopes: [...scopes],
});

inEachWorld((given) => {
  it("a workspace's key gives no more than it has, and the refusal names what is too much", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const maker = await keyOf(world, workspaceId, ['workspace_service_api_keys.create', 'configs.read']);
    const make = (scopes: readonly string[]) =>
      world.c.call('POST', '/v1/api-keys/workspace/service', {
        key: maker.key,
        body: { name: 'k', scopes: [...scopes] },
      });
    assert.equal((await make(['configs.read'])).status, 200);
    const refusal = await make(['configs.read', 'completions.write']);
    assert.equal(refusal.status, 403);
    assert.match(refusal.text, /completions\.write/);
    assert.equal((refusal.json.error as JsonObject).param, 'scopes');
  });

  it('no key widens another, or itself, by an edit', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const editor = await keyOf(world, workspaceId, [
      'workspace_service_api_keys.update',
      'workspace_service_api_keys.read',
      'configs.read',
    ]);
    const wide = await keyOf(world, workspaceId, ['logs.view']);
    const put = (id: string, body: JsonObject) => world.c.call('PUT', `/v1/api-keys/${id}`, { key: editor.key, body });
    for (const id of [wide.id, editor.id]) {
      assert.equal((await put(id, { scopes: ['completions.write'] })).status, 403);
    }
    assert.equal((await put(wide.id, { scopes: ['logs.view', 'configs.read'], name: 'renamed' })).status, 200);
    assert.deepEqual((await world.read(wide.id)).scopes, ['logs.view', 'configs.read']);
    assert.equal((await put(wide.id, { scopes: ['configs.read'] })).status, 200);
    assert.equal((await put(wide.id, { scopes: ['logs.view'] })).status, 403, 'what was given up is not taken back');
  });

  it('no key learns the secret of one that may do more, by rotating it', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const rotator = await keyOf(world, workspaceId, ['workspace_service_api_keys.rotate', 'configs.read']);
    const wide = await keyOf(world, workspaceId, ['configs.read', 'configs.delete']);
    const equal = await keyOf(world, workspaceId, ['configs.read']);
    const rotate = (id: string) => world.c.call('POST', `/v1/api-keys/${id}/rotate`, { key: rotator.key, body: {} });
    assert.equal((await rotate(wide.id)).status, 403);
    assert.equal((await rotate(equal.id)).status, 200);
    assert.equal((await rotate(rotator.id)).status, 200, 'itself');
  });

  it("a workspace's key reaches keys of no other workspace, and makes none there", async () => {
    const world = given();
    const [mine, other] = [await world.workspace(), await world.workspace()];
    const maker = await keyOf(world, mine, everyScope.service);
    const foreign = await keyOf(world, other, ['configs.read']);
    assert.equal((await world.c.call('GET', `/v1/api-keys/${foreign.id}`, { key: maker.key })).status, 404);
    const body = { name: 'k', scopes: ['configs.read'], workspace_id: other };
    const made = await world.c.ok('POST', '/v1/api-keys/workspace/service', { key: maker.key, body });
    assert.equal(
      (await world.read(String(made.id))).workspace_id,
      mine,
      'its own workspace is meant, whatever it names',
    );
    const organisation = await world.c.call('POST', '/v1/api-keys/organisation/service', {
      key: maker.key,
      body: { name: 'k', scopes: ['workspaces.read'] },
    });
    assert.equal(organisation.status, 403);
  });

  it("an organisation's key hands out inference where it may create keys, and no management that it lacks", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const maker = await world.key('organisation/service', {
      name: 'automation',
      scopes: ['workspace_service_api_keys.create', 'configs.read'],
    });
    const make = (scopes: readonly string[]) =>
      world.c.call('POST', '/v1/api-keys/workspace/service', {
        key: maker.key,
        body: { name: 'k', workspace_id: workspaceId, scopes: [...scopes] },
      });
    assert.equal((await make(['completions.write', 'prompts.render', 'configs.read'])).status, 200);
    assert.equal((await make(['completions.write', 'configs.delete'])).status, 403);
    const user = await world.c.call('POST', '/v1/api-keys/workspace/user', {
      key: maker.key,
      body: { name: 'k', workspace_id: workspaceId, scopes: ['completions.write'], user_id: 'u' },
    });
    assert.equal(user.status, 403, 'the permission is that of the type of key');
  });

  it("each type of key is read, changed and rotated by that type's permission", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const userId = await world.person({ workspaceId });
    const service = await keyOf(world, workspaceId, ['configs.read']);
    const user = await world.key('workspace/user', personal(workspaceId, userId, ['configs.read']));
    const reader = await keyOf(world, workspaceId, [
      'workspace_user_api_keys.read',
      'workspace_user_api_keys.list',
      'workspace_user_api_keys.rotate',
      'configs.read',
    ]);
    const status = async (method: string, path: string) =>
      (
        await world.c.call(method, `/v1/api-keys/${path}`, {
          key: reader.key,
          ...(method === 'GET' ? {} : { body: {} }),
        })
      ).status;
    assert.equal(await status('GET', user.id), 200);
    assert.equal(await status('GET', service.id), 403);
    assert.equal(await status('POST', `${user.id}/rotate`), 200);
    assert.equal(await status('POST', `${service.id}/rotate`), 403);
    assert.equal(await status('PUT', user.id), 403);
    const { data } = await world.c.ok('GET', '/v1/api-keys', { key: reader.key });
    assert.deepEqual(
      (data as readonly JsonObject[]).map(({ id }) => id),
      [user.id],
      'lists show no others',
    );
  });

  it("a user's key manages no keys, whatever its owner may", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const userId = await world.person({ organisationRole: 'owner' });
    const made = await world.key(
      'workspace/user',
      personal(workspaceId, userId, ['completions.write', 'configs.read']),
    );
    assert.equal(await world.statusOf(made.key), 200);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', `/${made.id}`, undefined],
      ['POST', '/workspace/user', personal(workspaceId, userId)],
      ['POST', `/${made.id}/rotate`, {}],
      ['DELETE', `/${made.id}`, {}],
    ] as const) {
      const reply = await world.c.call(method, `/v1/api-keys${path}`, {
        key: made.key,
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(reply.status, 403, `${method} ${path}`);
    }
  });

  it("a user's key may do no more than its owner may now", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const userId = await world.person({ workspaceId, role: 'manager' });
    const made = await world.key('workspace/user', personal(workspaceId, userId, ['configs.list', 'configs.create']));
    const create = () =>
      world.c.call('POST', '/v1/configs', { key: made.key, body: { name: 'c', config: { retry: { attempts: 1 } } } });
    assert.equal((await create()).status, 200);
    await world.c.ok('PUT', `/v1/admin/workspaces/${workspaceId}/users/${userId}`, {
      key: world.c.adminKey,
      body: { role: 'member' },
    });
    assert.equal((await create()).status, 403);
    assert.equal((await world.c.call('GET', '/v1/configs', { key: made.key })).status, 200);
  });

  it("a user's key needs an owner, who is of the workspace", async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const stranger = await world.person();
    const make = async (body: JsonObject) =>
      world.c.call('POST', '/v1/api-keys/workspace/user', { key: world.c.adminKey, body });
    const { user_id: _, ...ownerless } = personal(workspaceId, '');
    assert.equal((await make(ownerless)).status, 400);
    assert.equal((await make(personal(workspaceId, stranger))).status, 400);
    assert.equal((await make(personal(workspaceId, 'nobody'))).status, 400);
    const owner = await world.person({ organisationRole: 'admin' });
    assert.equal((await make(personal(workspaceId, owner))).status, 200, 'who runs the organisation is of each');
  });

  it('members make, see and manage their own keys and no others', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const [ada, bob] = [await world.person({ workspaceId }), await world.person({ workspaceId })];
    const as = world.session(ada, workspaceId, 'member');
    const own = await world.c.ok('POST', '/v1/api-keys/workspace/user', {
      as,
      body: { name: 'own', scopes: ['completions.write'] },
    });
    const shown = await world.c.ok('GET', `/v1/api-keys/${own.id}`, { as });
    assert.equal(shown.user_id, ada, 'who asks is the owner');
    assert.equal(shown.creation_mode, 'ui');
    const others = await world.key('workspace/user', personal(workspaceId, bob));
    const service = await keyOf(world, workspaceId, ['completions.write']);
    const list = await world.c.ok('GET', '/v1/api-keys', { as });
    assert.deepEqual(
      (list.data as readonly JsonObject[]).map(({ id }) => id),
      [own.id],
    );
    for (const { id } of [others, service]) {
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', '/rotate'],
        ['POST', '/rotated-secret'],
      ] as const) {
        const reply = await world.c.call(method, `/v1/api-keys/${id}${path}`, {
          as,
          ...(method === 'GET' ? {} : { body: {} }),
        });
        assert.equal(reply.status, 404, `${method} ${path}`);
      }
    }
    const forBob = await world.c.call('POST', '/v1/api-keys/workspace/user', { as, body: personal(workspaceId, bob) });
    assert.equal(forBob.status, 403);
    const forAll = await world.c.call('POST', '/v1/api-keys/workspace/service', {
      as,
      body: { name: 's', scopes: ['completions.write'] },
    });
    assert.equal(forAll.status, 403);
    await world.c.ok('POST', `/v1/api-keys/${own.id}/rotate`, { as, body: {} });
    await world.c.ok('DELETE', `/v1/api-keys/${own.id}`, { as });
  });

  it('a member cannot give a key what the role lacks', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const as = world.session(await world.person({ workspaceId }), workspaceId, 'member');
    const reply = await world.c.call('POST', '/v1/api-keys/workspace/user', {
      as,
      body: { name: 'k', scopes: ['completions.write', 'configs.create'] },
    });
    assert.equal(reply.status, 403);
    assert.match(reply.text, /configs\.create/);
  });

  const ranks: readonly [WorkspaceRole, number][] = [
    ['member', 200],
    ['manager', 200],
    ['admin', 403],
  ];
  for (const [role, status] of ranks) {
    it(`a manager making a key for a ${role} gets ${status}`, async () => {
      const world = given();
      const workspaceId = await world.workspace();
      const as = world.session(await world.person({ workspaceId, role: 'manager' }), workspaceId, 'manager');
      const userId = await world.person({ workspaceId, role });
      const reply = await world.c.call('POST', '/v1/api-keys/workspace/user', {
        as,
        body: personal(workspaceId, userId),
      });
      assert.equal(reply.status, status, reply.text);
    });
  }

  it('a manager learns no secret of someone who ranks higher', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const as = world.session(await world.person({ workspaceId, role: 'manager' }), workspaceId, 'manager');
    const admin = await world.person({ workspaceId, role: 'admin' });
    const { id } = await world.key('workspace/user', personal(workspaceId, admin));
    assert.equal((await world.c.call('POST', `/v1/api-keys/${id}/rotate`, { as, body: {} })).status, 403);
  });

  it('a person of no such workspace learns nothing of its keys; who runs the organisation, all', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const { id } = await keyOf(world, workspaceId, ['configs.read']);
    const stranger = { userId: await world.person(), organisationRole: 'member' as const, scopes: ['workspaces.read'] };
    assert.equal((await world.c.call('GET', `/v1/api-keys/${id}`, { as: stranger })).status, 404);
    const admin = { userId: await world.person(), organisationRole: 'admin' as const };
    assert.equal((await world.c.call('GET', `/v1/api-keys/${id}`, { as: admin })).status, 200);
    const { data } = await world.c.ok('GET', `/v1/api-keys?workspace_id=${workspaceId}`, { as: admin });
    assert.deepEqual(
      (data as readonly JsonObject[]).map((key) => key.id),
      [id],
    );
  });

  it('a manager whom the toggles forbid to write keys makes none', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const userId = await world.person({ workspaceId, role: 'manager' });
    const as = {
      ...world.session(userId, workspaceId, 'manager'),
      scopes: [...scopesOfWorkspaceRole('manager', { managersWriteApiKeys: false })],
    };
    const body = { name: 'k', scopes: ['completions.write'] };
    for (const path of ['workspace/user', 'workspace/service']) {
      assert.equal((await world.c.call('POST', `/v1/api-keys/${path}`, { as, body })).status, 403);
    }
    assert.equal((await world.c.call('GET', '/v1/api-keys', { as })).status, 200);
  });

  it('the owner of a key stays its owner', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const [ada, bob] = [await world.person({ workspaceId }), await world.person({ workspaceId })];
    const { id } = await world.key('workspace/user', personal(workspaceId, ada));
    const put = (body: JsonObject) => world.c.call('PUT', `/v1/api-keys/${id}`, { key: world.c.adminKey, body });
    const refused = await put({ user_id: bob });
    assert.deepEqual([refused.status, asObject(refused.json.error)?.param], [400, 'user_id']);
    assert.equal((await put({ user_id: ada, type: 'workspace-service' })).status, 200);
    const shown = await world.read(id);
    assert.equal(shown.user_id, ada);
    assert.equal(shown.type, 'workspace-user');
  });
});
