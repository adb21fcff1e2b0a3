import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject, scopesOfWorkspaceRole } from 'portcullis/sdk';
import { heard, makeUser, makeWorkspace, onEachControl, person } from './tenant.ts';

const status = (expected: number, param?: string) => (reply: { status: number; json: JsonObject }) => {
  assert.equal(reply.status, expected, JSON.stringify(reply.json));
  if (param !== undefined) assert.equal(asObject(reply.json.error)?.param, param);
};

onEachControl((control) => {
  const place = async (users: JsonObject[] = []) => {
    const { id } = await makeWorkspace(control());
    const path = `/v1/admin/workspaces/${id}/users`;
    if (users.length > 0) await control().ok('POST', path, { body: { users } });
    return { id: String(id), path };
  };
  const newUser = async (invite: JsonObject = {}) => String((await makeUser(control(), invite)).id);

  describe('members of a workspace', () => {
    it('are added as a list, or one by one', async () => {
      const [a, b] = [await newUser(), await newUser()];
      const { path } = await place([{ id: a, role: 'manager' }]);
      assert.deepEqual(await control().ok('POST', path, { body: { user_id: b, role: 'member' } }), {});
      const { total, data } = await control().ok('GET', path);
      assert.equal(total, 2);
      assert.deepEqual(
        new Set((data as JsonObject[]).map(({ id, role }) => `${id} ${role}`)),
        new Set([`${a} manager`, `${b} member`]),
      );
    });

    it('are shown with who they are', async () => {
      const user = await makeUser(control(), {}, { first_name: 'Ada', last_name: 'Lovelace' });
      const { id, path } = await place([{ id: String(user.id), role: 'admin' }]);
      const { created_at, last_updated_at, ...member } = await control().ok('GET', `${path}/${user.id}`);
      assert.deepEqual([typeof created_at, typeof last_updated_at], ['number', 'number']);
      assert.deepEqual(member, {
        object: 'workspace-user',
        id: user.id,
        first_name: 'Ada',
        last_name: 'Lovelace',
        org_role: 'member',
        role: 'admin',
        status: 'active',
        workspace_id: id,
        email: user.email,
        scopes: [...scopesOfWorkspaceRole('admin', {})].sort(),
        settings: null,
      });
    });

    it('are listed by role and by address, in pages', async () => {
      const users = [await makeUser(control()), await makeUser(control()), await makeUser(control())];
      const { path } = await place(
        users.map(({ id }, n) => ({ id: String(id), role: n === 0 ? 'manager' : 'member' })),
      );
      const ids = async (query: string) =>
        ((await control().ok('GET', `${path}?${query}`)).data as JsonObject[]).map(({ id }) => id);
      assert.deepEqual(await ids('role=manager'), [users[0]?.id]);
      assert.deepEqual(await ids(`email=${String(users[1]?.email).toUpperCase()}`), [users[1]?.id]);
      assert.equal((await ids('page_size=2')).length, 2);
      assert.equal((await ids('page_size=2&current_page=1')).length, 1);
    });

    it('are added all or not at all', async () => {
      const { path } = await place();
      const users = [
        { id: await newUser(), role: 'member' },
        { id: 'nobody', role: 'member' },
      ];
      status(404)(await control().call('POST', path, { body: { users } }));
      assert.equal((await control().ok('GET', path)).total, 0);
    });

    it('are members once', async () => {
      const id = await newUser();
      const { path } = await place([{ id, role: 'member' }]);
      status(409)(await control().call('POST', path, { body: { user_id: id, role: 'admin' } }));
      const twice = [
        { id, role: 'member' },
        { id, role: 'admin' },
      ];
      status(400, 'users')(await control().call('POST', path, { body: { users: twice } }));
    });

    it('have one of three roles', async () => {
      const id = await newUser();
      const { path } = await place();
      status(400)(await control().call('POST', path, { body: { users: [{ id, role: 'owner' }] } }));
      status(400, 'role')(await control().call('POST', path, { body: { user_id: id } }));
      status(400, 'users')(await control().call('POST', path, { body: {} }));
    });

    it('get another role, and leave', async () => {
      const id = await newUser();
      const { path } = await place([{ id, role: 'member' }]);
      assert.deepEqual(await control().ok('PUT', `${path}/${id}`, { body: { role: 'manager' } }), {});
      assert.equal((await control().ok('GET', `${path}/${id}`)).role, 'manager');
      assert.deepEqual(await control().ok('DELETE', `${path}/${id}`), {});
      status(404, 'user_id')(await control().call('GET', `${path}/${id}`));
      status(404)(await control().call('PUT', `${path}/${id}`, { body: { role: 'admin' } }));
      status(404)(await control().call('DELETE', `${path}/${id}`));
    });

    it('are announced when they come and go', async () => {
      const id = await newUser();
      const { path } = await place([{ id, role: 'member' }]);
      await control().ok('DELETE', `${path}/${id}`);
      for (const event of ['workspace_members.created', 'workspace_members.removed']) {
        assert.equal(heard(control(), event).at(-1)?.scope, control().organisationId);
      }
    });

    it('are found under the slug of the workspace, and in no other workspace', async () => {
      const id = await newUser();
      const { slug } = await makeWorkspace(control(), { users: [id] });
      await control().ok('GET', `/v1/workspaces/${slug}/users/${id}`);
      const { path } = await place();
      status(404)(await control().call('GET', `${path}/${id}`));
    });

    it('are not those of an archived workspace', async () => {
      const { id, path } = await place();
      await control().ok('DELETE', `/v1/workspaces/${id}`);
      status(404)(await control().call('GET', path));
    });
  });

  describe('ranks in a workspace', () => {
    const asManager = person({ workspaceRole: 'manager' });

    it('let a manager add managers and members, and no admins', async () => {
      const { path } = await place();
      for (const [role, expected] of [
        ['member', 200],
        ['manager', 200],
        ['admin', 403],
      ] as const) {
        const body = { user_id: await newUser(), role };
        status(expected)(await control().call('POST', path, { as: asManager, body }));
      }
    });

    it('let nobody be raised above the own rank, nor touched who stands there', async () => {
      const [admin, member] = [await newUser(), await newUser()];
      const { path } = await place([
        { id: admin, role: 'admin' },
        { id: member, role: 'member' },
      ]);
      const put = (id: string, role: string) =>
        control().call('PUT', `${path}/${id}`, { as: asManager, body: { role } });
      status(403, 'role')(await put(member, 'admin'));
      status(403, 'role')(await put(admin, 'member'));
      status(403, 'role')(await control().call('DELETE', `${path}/${admin}`, { as: asManager }));
      status(200)(await put(member, 'manager'));
    });

    it('do not bind keys of services, whose permissions say what they may', async () => {
      const { id, path } = await place();
      const as = { scopes: ['workspace_users.create'], workspaceId: id, keyType: 'workspace-service' as const };
      await control().ok('POST', path, { as, body: { user_id: await newUser(), role: 'admin' } });
    });
  });

  describe('the permissions of members', () => {
    for (const [method, permission] of [
      ['GET', 'workspace_users.list'],
      ['POST', 'workspace_users.create'],
    ] as const) {
      it(`${method} needs ${permission}`, async () => {
        const { path } = await place();
        const body = method === 'GET' ? {} : { body: { user_id: await newUser(), role: 'member' } };
        status(403)(await control().call(method, path, { ...body, as: { scopes: ['workspace_users.read'] } }));
        status(200)(await control().call(method, path, { ...body, as: { scopes: [permission] } }));
      });
    }

    for (const [method, permission] of [
      ['GET', 'workspace_users.read'],
      ['PUT', 'workspace_users.update'],
      ['DELETE', 'workspace_users.delete'],
    ] as const) {
      it(`${method} of one needs ${permission}`, async () => {
        const id = await newUser();
        const { path } = await place([{ id, role: 'member' }]);
        const body = method === 'PUT' ? { body: { role: 'manager' } } : {};
        status(403)(
          await control().call(method, `${path}/${id}`, { ...body, as: { scopes: ['workspace_users.list'] } }),
        );
        status(200)(await control().call(method, `${path}/${id}`, { ...body, as: { scopes: [permission] } }));
      });
    }

    it('of a key of one workspace end at its border', async () => {
      const { path } = await place();
      const { id } = await makeWorkspace(control());
      status(404)(await control().call('GET', path, { as: { workspaceId: String(id) } }));
    });
  });
});
