import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { freshEmail, heard, makeUser, makeWorkspace, onEachControl, person } from './tenant.ts';

const status = (expected: number, param?: string) => (reply: { status: number; json: JsonObject }) => {
  assert.equal(reply.status, expected, JSON.stringify(reply.json));
  if (param !== undefined) assert.equal(asObject(reply.json.error)?.param, param);
};

onEachControl((control) => {
  const ids = async (query: string) =>
    ((await control().ok('GET', `/v1/admin/users?${query}`)).data as JsonObject[]).map(({ id }) => id);

  /** The owner of the one organisation is made by whoever signs the first person in; here by founding another one. */
  const makeOwner = async () => {
    const { id: userId } = await makeUser(control(), { role: 'admin' });
    const { id, owner } = await control().ok('POST', '/v1/organisations', {
      as: person({ userId: String(userId), organisationRole: 'owner' }),
      body: { name: 'Owned' },
    });
    return { id: String(asObject(owner)?.id), as: { organisationId: String(id) } };
  };

  describe('users', () => {
    it('are shown with the workspaces that they are in', async () => {
      const { id: workspace } = await makeWorkspace(control());
      const email = freshEmail();
      const { id } = await makeUser(
        control(),
        { email, workspaces: [{ id: String(workspace), role: 'member' }] },
        { first_name: 'Ada' },
      );
      const { created_at, last_updated_at, ...user } = await control().ok('GET', `/v1/admin/users/${id}`);
      assert.deepEqual([typeof created_at, typeof last_updated_at], ['number', 'number']);
      assert.deepEqual(user, {
        object: 'user',
        id,
        organisation_id: control().organisationId,
        first_name: 'Ada',
        last_name: null,
        role: 'member',
        email,
        status: 'active',
        workspace_ids: [workspace],
      });
      const { data } = await control().ok('GET', `/v1/users?email=${email}`);
      assert.deepEqual((data as JsonObject[])[0]?.workspace_ids, [workspace]);
    });

    it('are listed by address in any case, by role, and in pages of their own names', async () => {
      const { id, email } = await makeUser(control(), { role: 'admin' });
      assert.deepEqual(await ids(`email=${String(email).toUpperCase()}`), [id]);
      assert.deepEqual(await ids(`email=${email}&role=member`), []);
      assert.equal((await ids('pageSize=1')).length, 1);
      assert.notDeepEqual(await ids('pageSize=1'), await ids('pageSize=1&currentPage=1'));
      assert.deepEqual(await ids('page_size=1&current_page=1'), await ids('pageSize=1&currentPage=1'));
    });

    it('get another role and another name', async () => {
      const { id } = await makeUser(control());
      assert.deepEqual(
        await control().ok('PUT', `/v1/users/${id}`, { body: { role: 'admin', first_name: 'Ada' } }),
        {},
      );
      const { role, first_name } = await control().ok('GET', `/v1/users/${id}`);
      assert.deepEqual([role, first_name], ['admin', 'Ada']);
    });

    it('refuse the role that they have already, and ownership', async () => {
      const { id } = await makeUser(control());
      status(400, 'role')(await control().call('PUT', `/v1/users/${id}`, { body: { role: 'member' } }));
      status(400, 'role')(await control().call('PUT', `/v1/users/${id}`, { body: { role: 'owner' } }));
    });

    it('keep their address', async () => {
      const { id, email = null } = await makeUser(control());
      const put = (body: JsonObject) => control().call('PUT', `/v1/users/${id}`, { body });
      status(400, 'email')(await put({ email: freshEmail(), first_name: 'Ada' }));
      status(200)(await put({ email, first_name: 'Ada' }));
      assert.equal((await control().ok('GET', `/v1/users/${id}`)).email, email);
    });

    it('leave with their memberships, which is announced', async () => {
      const { id: workspace } = await makeWorkspace(control());
      const { id } = await makeUser(control(), { workspaces: [{ id: String(workspace), role: 'member' }] });
      assert.deepEqual(await control().ok('DELETE', `/v1/users/${id}`), {});
      status(404)(await control().call('GET', `/v1/users/${id}`));
      assert.equal((await control().ok('GET', `/v1/workspaces/${workspace}/users`)).total, 0);
      assert.equal(heard(control(), 'users.removed').at(-1)?.id, id);
      const { db } = control().gateway.control?.store ?? assert.fail();
      assert.deepEqual(await db('workspace_members').where({ user_id: id }), []);
      assert.ok(!(await ids('')).includes(id ?? null));
      assert.ok((await ids('status=archived')).includes(id ?? null));
    });

    it('are not added to a workspace once they have left', async () => {
      const { id } = await makeUser(control());
      await control().ok('DELETE', `/v1/users/${id}`);
      const { id: workspace } = await makeWorkspace(control());
      const body = { user_id: String(id), role: 'member' };
      status(400, 'users')(await control().call('POST', `/v1/workspaces/${workspace}/users`, { body }));
    });
  });

  describe('the owner', () => {
    it('is neither demoted nor removed', async () => {
      const { id, as } = await makeOwner();
      status(403)(await control().call('PUT', `/v1/users/${id}`, { as, body: { role: 'member' } }));
      status(403)(await control().call('DELETE', `/v1/users/${id}`, { as }));
    });

    it('may be given another name', async () => {
      const { id, as } = await makeOwner();
      await control().ok('PUT', `/v1/users/${id}`, { as, body: { first_name: 'Ada' } });
    });
  });

  describe('the permissions of users', () => {
    for (const [method, permission] of [
      ['GET', 'organisation_users.read'],
      ['PUT', 'organisation_users.update'],
      ['DELETE', 'organisation_users.delete'],
    ] as const) {
      it(`${method} needs ${permission}`, async () => {
        const { id } = await makeUser(control());
        const body = method === 'PUT' ? { body: { first_name: 'Ada' } } : {};
        const ask = (scope: string) => control().call(method, `/v1/users/${id}`, { ...body, as: { scopes: [scope] } });
        status(403)(await ask('organisation_users.list'));
        status(200)(await ask(permission));
      });
    }

    it('end at the border of the organisation', async () => {
      const { as } = await makeOwner();
      const { id } = await makeUser(control());
      status(404)(await control().call('GET', `/v1/users/${id}`, { as }));
    });
  });
});
