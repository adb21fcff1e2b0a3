import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allScopes, asObject, type JsonObject } from 'portcullis/sdk';
import { freshEmail, heard, makeUser, makeWorkspace, onEachControl, person, tokenOf } from './tenant.ts';

const status = (expected: number, param?: string) => (reply: { status: number; json: JsonObject }) => {
  assert.equal(reply.status, expected, JSON.stringify(reply.json));
  if (param !== undefined) assert.equal(asObject(reply.json.error)?.param, param);
};
const dayMs = 86_400_000;

onEachControl((control) => {
  const invite = (more: JsonObject = {}) =>
    control().ok('POST', '/v1/admin/users/invites', {
      body: { email: freshEmail(), role: 'member', workspaces: [], ...more },
    });
  const accept = (link: JsonObject[string] | undefined, own: JsonObject = {}) =>
    control().call('POST', '/v1/invites/accept', { body: { token: tokenOf(link), ...own } });
  const statusOf = async (id: JsonObject[string] | undefined) =>
    (await control().ok('GET', `/v1/users/invites/${id}`)).status;

  describe('an invitation', () => {
    it('answers with its link, of which the store keeps a digest alone', async () => {
      const { id, invite_link, object } = await invite();
      assert.equal(object, 'invite');
      assert.match(String(invite_link), /^https:\/\/gateway\.example\.com\/invite\?token=[0-9A-Za-z]{43}$/);
      const { db } = control().gateway.control?.store ?? assert.fail();
      const stored = JSON.stringify([
        await db('invites').where({ id }),
        await db('invite_tokens').where({ invite_id: id }),
      ]);
      assert.ok(!stored.includes(tokenOf(invite_link)));
    });

    it('is shown without it', async () => {
      const email = freshEmail();
      const { id: workspace, slug } = await makeWorkspace(control());
      const { id } = await invite({
        email: email.toUpperCase(),
        workspaces: [{ id: slug, role: 'manager' }],
      } as JsonObject);
      const { created_at, last_updated_at, expires_at, ...shown } = await control().ok(
        'GET',
        `/v1/users/invites/${id}`,
      );
      assert.equal(Number(expires_at) - Number(created_at), (7 * dayMs) / 1000);
      assert.equal(typeof last_updated_at, 'number');
      assert.deepEqual(shown, {
        object: 'invite',
        id,
        organisation_id: control().organisationId,
        email,
        role: 'member',
        workspaces: [{ id: workspace, role: 'manager' }],
        status: 'pending',
        accepted_at: null,
        invited_by: null,
      });
    });

    it('is open once for an address', async () => {
      const email = freshEmail();
      await invite({ email });
      const body = { email: email.toUpperCase(), role: 'member', workspaces: [] };
      status(409, 'email')(await control().call('POST', '/v1/users/invites', { body }));
    });

    it('is not for who belongs to the organisation', async () => {
      const { email } = await makeUser(control());
      const body = { email: String(email), role: 'member', workspaces: [] };
      status(409, 'email')(await control().call('POST', '/v1/users/invites', { body }));
    });

    it('is to roles and workspaces that exist', async () => {
      const { id: gone } = await makeWorkspace(control());
      await control().ok('DELETE', `/v1/workspaces/${gone}`);
      const { id, slug } = await makeWorkspace(control());
      const bad = (more: object) =>
        control().call('POST', '/v1/users/invites', {
          body: { email: freshEmail(), role: 'member', workspaces: [], ...more } as JsonObject,
        });
      status(400, 'role')(await bad({ role: 'owner' }));
      status(400, 'email')(await bad({ email: 'nobody' }));
      status(404)(await bad({ workspaces: [{ id: 'ws-none', role: 'member' }] }));
      status(400, 'workspaces')(await bad({ workspaces: [{ id: gone, role: 'member' }] }));
      status(
        400,
        'workspaces',
      )(
        await bad({
          workspaces: [
            { id, role: 'member' },
            { id: slug, role: 'admin' },
          ],
        }),
      );
    });

    it('is listed by state, address and role', async () => {
      const email = freshEmail();
      const { id } = await invite({ email, role: 'admin' });
      const found = async (query: string) =>
        ((await control().ok('GET', `/v1/users/invites?${query}`)).data as JsonObject[]).map((one) => one.id);
      assert.deepEqual(await found(`email=${email.toUpperCase()}`), [id]);
      assert.deepEqual(await found(`email=${email}&status=pending&role=admin`), [id]);
      assert.deepEqual(await found(`email=${email}&status=accepted`), []);
      assert.deepEqual(await found(`email=${email}&status=expired`), []);
      assert.equal((await found('pageSize=1&currentPage=0')).length, 1);
      assert.equal((await found('page_size=1&current_page=0')).length, 1);
      control().advance(7 * dayMs);
      assert.deepEqual(await found(`email=${email}&status=pending`), []);
      assert.deepEqual(await found(`email=${email}&status=expired`), [id]);
    });
  });

  describe('accepting an invitation', () => {
    it('makes a user with the memberships that were promised', async () => {
      const { id: workspace } = await makeWorkspace(control());
      const email = freshEmail();
      const { id, invite_link } = await invite({
        email,
        role: 'admin',
        workspaces: [{ id: String(workspace), role: 'manager' }],
      });
      const reply = await accept(invite_link, { first_name: 'Ada', last_name: 'Lovelace' });
      assert.deepEqual(reply.json, {
        id: reply.json.id,
        email,
        role: 'admin',
        organisation_id: control().organisationId,
        workspace_ids: [workspace],
        object: 'user',
      });
      const member = await control().ok('GET', `/v1/workspaces/${workspace}/users/${reply.json.id}`);
      assert.deepEqual([member.role, member.first_name, member.org_role], ['manager', 'Ada', 'admin']);
      const { status: state, accepted_at } = await control().ok('GET', `/v1/users/invites/${id}`);
      assert.deepEqual([state, typeof accepted_at], ['accepted', 'number']);
    });

    it('works once, even of two at the same time', async () => {
      const { invite_link } = await invite();
      const replies = await Promise.all([accept(invite_link), accept(invite_link), accept(invite_link)]);
      assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 404, 404]);
    });

    it('takes no token but the right one', async () => {
      status(404, 'token')(await control().call('POST', '/v1/invites/accept', { body: { token: 'x'.repeat(43) } }));
      status(400, 'token')(await control().call('POST', '/v1/invites/accept', { body: {} }));
    });

    it('is over after seven days', async () => {
      const { id, invite_link } = await invite();
      control().advance(7 * dayMs - 60_000);
      assert.equal(await statusOf(id), 'pending');
      control().advance(60_000);
      assert.equal(await statusOf(id), 'expired');
      status(404, 'token')(await accept(invite_link));
    });

    it('hands the password to who keeps it, and to nobody else', async () => {
      const { invite_link } = await invite();
      const password = 'correct horse battery staple';
      const reply = await accept(invite_link, { password });
      status(200)(reply);
      assert.deepEqual(heard(control(), 'users.password').at(-1)?.id, reply.json.id);
      const others = control().log.filter(({ fields }) => fields.name !== 'users.password');
      assert.ok(!JSON.stringify(others).includes(password) && !reply.text.includes(password));
      assert.equal(asObject(heard(control(), 'invites.accepted').at(-1)?.detail)?.password, undefined);
    });

    it('changes nothing when the password is refused', async () => {
      const email = freshEmail();
      const { id, invite_link } = await invite({ email });
      status(500)(await accept(invite_link, { password: 'refused' }));
      assert.equal(await statusOf(id), 'pending');
      assert.equal((await control().ok('GET', `/v1/users?email=${email}`)).total, 0);
      status(200)(await accept(invite_link));
    });

    it('tells of the key that was promised', async () => {
      const { id: workspace } = await makeWorkspace(control());
      const details = { name: 'Mine', scopes: ['completions.write'] };
      const { id, invite_link } = await invite({
        workspaces: [{ id: String(workspace), role: 'member' }],
        workspace_api_key_details: details,
      });
      const { json } = await accept(invite_link);
      const event = heard(control(), 'invites.accepted').at(-1);
      assert.deepEqual(
        [event?.id, event?.scope, event?.detail],
        [
          id,
          control().organisationId,
          { user_id: json.id, workspaces: [{ id: workspace, role: 'member' }], workspace_api_key_details: details },
        ],
      );
    });

    it('passes over workspaces that are gone by then', async () => {
      const { id: workspace } = await makeWorkspace(control());
      const { invite_link } = await invite({ workspaces: [{ id: String(workspace), role: 'member' }] });
      await control().ok('DELETE', `/v1/workspaces/${workspace}`);
      assert.deepEqual((await accept(invite_link)).json.workspace_ids, []);
    });

    it('brings back who had left, with the new role alone', async () => {
      const { id: workspace } = await makeWorkspace(control());
      const email = freshEmail();
      const { id } = await makeUser(
        control(),
        { email, role: 'admin', workspaces: [{ id: String(workspace), role: 'admin' }] },
        { first_name: 'Ada' },
      );
      await control().ok('DELETE', `/v1/users/${id}`);
      const { invite_link } = await invite({ email });
      assert.equal((await accept(invite_link)).json.id, id);
      const { role, first_name, workspace_ids, status: state } = await control().ok('GET', `/v1/users/${id}`);
      assert.deepEqual([role, first_name, workspace_ids, state], ['member', 'Ada', [], 'active']);
    });
  });

  describe('cancelling and sending again', () => {
    it('cancels what is pending, and its link', async () => {
      const { id, invite_link } = await invite();
      assert.deepEqual(await control().ok('DELETE', `/v1/users/invites/${id}`), {});
      assert.equal(await statusOf(id), 'cancelled');
      status(404)(await accept(invite_link));
      status(409)(await control().call('DELETE', `/v1/users/invites/${id}`));
    });

    it('leaves the address free to be invited again', async () => {
      const email = freshEmail();
      const { id } = await invite({ email });
      await control().ok('DELETE', `/v1/users/invites/${id}`);
      await invite({ email });
      const old = freshEmail();
      await invite({ email: old });
      control().advance(7 * dayMs);
      await invite({ email: old });
    });

    it('sends a new link with a new term, and the one before stops working', async () => {
      const { id, invite_link } = await invite();
      control().advance(8 * dayMs);
      const again = await control().ok('POST', `/v1/users/invites/${id}/resend`);
      assert.equal(again.inviteLink, again.invite_link);
      assert.equal(await statusOf(id), 'pending');
      status(404)(await accept(invite_link));
      status(200)(await accept(again.invite_link));
      status(409)(await control().call('POST', `/v1/users/invites/${id}/resend`));
    });

    it('replaces a link that is still good', async () => {
      const { id, invite_link } = await invite();
      const again = await control().ok('POST', `/v1/users/invites/${id}/resend`);
      status(404)(await accept(invite_link));
      status(200)(await accept(again.invite_link));
    });

    it('does not send again while the address has another one open', async () => {
      const email = freshEmail();
      const { id } = await invite({ email });
      control().advance(8 * dayMs);
      await invite({ email });
      status(409, 'email')(await control().call('POST', `/v1/users/invites/${id}/resend`));
    });

    it('does not cancel what is expired or accepted', async () => {
      const { id, invite_link } = await invite();
      await accept(invite_link);
      status(409)(await control().call('DELETE', `/v1/users/invites/${id}`));
    });
  });

  describe('who may invite', () => {
    const ask = (as: object, body: object) =>
      control().call('POST', '/v1/users/invites', {
        as: as as JsonObject,
        body: { email: freshEmail(), role: 'member', workspaces: [], ...body } as JsonObject,
      });

    it('is who may create users', async () => {
      status(200)(await ask({ scopes: ['organisation_users.create'] }, { role: 'member' }));
      // Nobody grants more than they have: an admin may do much more than that key.
      status(403, 'role')(await ask({ scopes: ['organisation_users.create'] }, { role: 'admin' }));
      status(200)(await ask({ scopes: [...allScopes] }, { role: 'admin' }));
      status(403)(await ask({ scopes: ['organisation_users.list'] }, {}));
    });

    it('is the admin of a workspace for it, and for members alone', async () => {
      const { id } = await makeWorkspace(control());
      const { id: other } = await makeWorkspace(control());
      const as = person({ workspaceId: String(id), workspaceRole: 'admin', scopes: ['workspace_users.create'] });
      const to = (workspace: unknown, role = 'member') => ({ workspaces: [{ id: workspace, role }] });
      status(200)(await ask(as, to(id, 'admin')));
      status(403, 'workspaces')(await ask(as, to(other)));
      status(403, 'workspaces')(await ask(as, {}));
      status(403, 'role')(await ask(as, { ...to(id), role: 'admin' }));
    });

    it('costs the store nothing with a token that nobody was given', async () => {
      const { store } = control().gateway.control as NonNullable<ReturnType<typeof control>['gateway']['control']>;
      // The vault and the counts ask by the clock, whoever calls: of what an invitation could need, nothing is asked.
      let queries = 0;
      const count = ({ sql }: { readonly sql: string }) => {
        if (/invites|users|organisations/.test(sql)) queries += 1;
      };
      store.db.on('query', count);
      try {
        for (const token of ['a'.repeat(43), 'b'.repeat(20), 'c'.repeat(200)]) {
          const { status: answer } = await control().call('POST', '/v1/invites/accept', { key: '', body: { token } });
          assert.equal(answer, 404);
        }
      } finally {
        store.db.off('query', count);
      }
      assert.equal(queries, 0);
    });

    it('is no manager', async () => {
      const { id } = await makeWorkspace(control());
      const as = person({ workspaceId: String(id), workspaceRole: 'manager', scopes: ['workspace_users.create'] });
      status(403)(await ask(as, { workspaces: [{ id, role: 'member' }] }));
    });

    it('needs the other permissions to see, send again and cancel', async () => {
      const { id } = await invite();
      const call = (method: string, path: string, scope: string) =>
        control().call(method, path, { as: { scopes: [scope] } });
      for (const [method, path, permission] of [
        ['GET', '/v1/users/invites', 'organisation_users.list'],
        ['GET', `/v1/users/invites/${id}`, 'organisation_users.read'],
        ['POST', `/v1/users/invites/${id}/resend`, 'organisation_users.update'],
        ['DELETE', `/v1/users/invites/${id}`, 'organisation_users.delete'],
      ] as const) {
        status(403)(await call(method, path, 'organisation_users.create'));
        status(200)(await call(method, path, permission));
      }
    });
  });
});
