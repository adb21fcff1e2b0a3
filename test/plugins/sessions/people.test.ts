import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject } from 'portcullis/sdk';
import { onEachStore } from '../../support/stores.ts';
import { isLive, loggedIn, owner, password, startSessions, tried, withOwner } from './people.ts';

const bob = { email: 'bob@example.com', password: 'six yellow bicycles' } as const;

onEachStore((_, __, fresh) => {
  describe('people who are invited', () => {
    it('log in with the password that they accept with, and again after they left and came back', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      await withOwner(control);
      const join = async (given: string): Promise<number> => {
        const body = { email: bob.email, role: 'member', workspaces: [] };
        const { invite_link } = await control.ok('POST', '/v1/admin/users/invites', { body });
        const token = /([A-Za-z0-9_-]{32,})$/.exec(String(invite_link))?.[1] ?? assert.fail(String(invite_link));
        const accepting = { token, password: given, first_name: 'Bob' };
        return (await control.call('POST', '/v1/invites/accept', { key: '', body: accepting })).status;
      };
      assert.equal(await join(bob.password), 200);
      const session = await loggedIn(control, bob);
      const { user } = await control.ok('GET', '/v1/auth/self', { key: session });
      await control.ok('DELETE', `/v1/admin/users/${String(asObject(user)?.id)}`);
      assert.equal(await isLive(control, session), false);
      assert.equal(await tried(control, bob), 401);
      assert.equal(await join('seven yellow bicycles'), 200);
      assert.equal(await tried(control, bob), 401);
      assert.equal(await tried(control, { ...bob, password: 'seven yellow bicycles' }), 200);
      assert.equal(await isLive(control, session), false);
    });

    it('cannot join with a password that is too weak', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const body = { email: bob.email, role: 'member', workspaces: [] };
      const { invite_link } = await control.ok('POST', '/v1/admin/users/invites', { body });
      const token = /([A-Za-z0-9_-]{32,})$/.exec(String(invite_link))?.[1] ?? '';
      const accepting = { token, password: 'bob@example.com' };
      const { status } = await control.call('POST', '/v1/invites/accept', { key: '', body: accepting });
      assert.equal(status, 400);
      assert.deepEqual(await control.gateway.control?.store.db('credentials'), []);
    });
  });

  describe('an owner who founds another organisation', () => {
    it('logs in there with the same password, by its name; without a name in the first', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token } = await withOwner(control);
      const made = await control.ok('POST', '/v1/admin/organisations', { key: token, body: { name: 'Second' } });
      const there = await control.ok('POST', '/v1/auth/login', { body: { ...owner, organisation: String(made.slug) } });
      assert.equal(there.organisation_id, made.id);
      const self = await control.ok('GET', '/v1/auth/self', { key: String(there.token) });
      assert.equal(asObject(self.organisation)?.id, made.id);
      const here = await control.ok('POST', '/v1/auth/login', { body: { ...owner } });
      assert.equal(here.organisation_id, control.organisationId);
      assert.equal(await tried(control, { email: owner.email, password: `${password}!` }), 401);
      const ended = await control.call('DELETE', `/v1/auth/sessions/${String(there.id)}`, { key: String(here.token) });
      assert.equal(ended.status, 404);
    });
  });
});
