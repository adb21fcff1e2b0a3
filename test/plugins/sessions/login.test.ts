import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects } from 'portcullis/sdk';
import { onEachStore } from '../../support/stores.ts';
import {
  audited,
  bootstrapToken,
  cookieOf,
  isLive,
  loggedIn,
  owner,
  password,
  startSessions,
  tried,
  withOwner,
  wrong,
} from './people.ts';

onEachStore((_, __, fresh) => {
  describe('the bootstrap token', () => {
    it('makes the first owner with a session, once', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const body = { token: bootstrapToken(control), ...owner, email: 'Ann@Example.com', first_name: 'Ann' };
      const { status, json } = await control.call('POST', '/v1/auth/bootstrap', { body });
      assert.equal(status, 200);
      assert.equal(json.organisation_id, control.organisationId);
      assert.equal(asObject(json.user)?.email, 'ann@example.com');
      const self = await control.ok('GET', '/v1/auth/self', { key: String(json.token) });
      assert.equal(self.org_role, 'owner');
      assert.equal(asObject(self.user)?.first_name, 'Ann');
      const again = await control.call('POST', '/v1/auth/bootstrap', { body: { ...body, email: 'eve@example.com' } });
      assert.equal(again.status, 401);
      assert.ok(await isLive(control, await loggedIn(control)));
    });

    it('is taken by one of many that come at the same time', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const token = bootstrapToken(control);
      const replies = await Promise.all(
        [1, 2, 3, 4].map((index) =>
          control.call('POST', '/v1/auth/bootstrap', { body: { token, email: `p${index}@example.com`, password } }),
        ),
      );
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    });

    it('is of no use once there is an owner, and survives a password that is not accepted', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const token = bootstrapToken(control);
      const weak = await control.call('POST', '/v1/auth/bootstrap', { body: { token, ...owner, password: 'short' } });
      assert.equal(weak.status, 400);
      const made = `bst_${'a'.repeat(40)}`;
      const unknown = await control.call('POST', '/v1/auth/bootstrap', { body: { token: made, ...owner } });
      assert.equal(unknown.status, 401);
      await withOwner(control);
    });

    it('is stored as a digest alone', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const rows = await control.gateway.control?.store.db('one_time_tokens');
      assert.equal(rows?.length, 1);
      assert.doesNotMatch(JSON.stringify(rows), new RegExp(bootstrapToken(control).slice(4)));
    });
  });

  describe('a log-in', () => {
    it('gives a session by body and by cookie; neither password nor token is stored', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      await withOwner(control);
      const { json, headers } = await control.call('POST', '/v1/auth/login', { body: { ...owner } });
      assert.match(String(json.token), /^ses_[A-Za-z0-9]{40}$/);
      assert.equal(json.expires_at, Math.floor(control.now() / 1000) + 43_200);
      const [set = ''] = headers.getSetCookie();
      assert.match(set, /^portcullis_session=ses_\w+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/);
      const db = control.gateway.control?.store.db;
      const stored = JSON.stringify([await db?.('sessions'), await db?.('credentials'), await db?.('audit_logs')]);
      assert.doesNotMatch(stored, new RegExp(`${password}|${String(json.token).slice(4)}`));
      assert.match(stored, /scrypt\$15\$8\$1\$/);
    });

    it('refuses a wrong password and an unknown person with the same words', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      await withOwner(control);
      const one = await control.call('POST', '/v1/auth/login', { body: { ...wrong } });
      const other = await control.call('POST', '/v1/auth/login', { body: { ...wrong, email: 'eve@example.com' } });
      assert.equal(one.status, 401);
      assert.equal(one.text, other.text);
    });

    it('is written down, with who and from where', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { userId } = await withOwner(control);
      await tried(control, wrong);
      await tried(control, { ...wrong, email: 'eve@example.com' });
      await loggedIn(control);
      const failed = await audited(control, 'login_failed');
      assert.deepEqual(
        failed.map(({ user_id }) => user_id),
        [userId, null],
      );
      assert.equal((await audited(control, 'login')).at(-1)?.user_id, userId);
      assert.match(String(failed[0]?.client_ip), /^127\.|^::1$/);
    });

    it('takes the address in any case, and the organisation by slug or id', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token } = await withOwner(control);
      const { slug } = asObject((await control.ok('GET', '/v1/auth/self', { key: token })).organisation) ?? {};
      for (const organisation of [String(slug), control.organisationId]) {
        await control.ok('POST', '/v1/auth/login', {
          body: { ...owner, email: ' ANN@example.com'.trim(), organisation },
        });
      }
      const elsewhere = await control.call('POST', '/v1/auth/login', { body: { ...owner, organisation: 'nowhere' } });
      assert.equal(elsewhere.status, 401);
    });
  });

  describe('attempts to log in', () => {
    it('have to wait longer and longer, whoever is meant and whatever the password', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      await withOwner(control);
      for (let index = 0; index < 5; index += 1) assert.equal(await tried(control, wrong), 401);
      const waits: number[] = [];
      for (let index = 0; index < 4; index += 1) {
        const { status, headers } = await control.call('POST', '/v1/auth/login', { body: { ...owner } });
        assert.equal(status, 429);
        const wait = Number(headers.get('retry-after'));
        waits.push(wait);
        control.advance(wait * 1000);
        assert.equal(await tried(control, wrong), 401);
      }
      assert.ok(
        waits.every((wait, index) => wait > 0 && wait > (waits[index - 1] ?? 0)),
        waits.join(),
      );
      control.advance(100_000);
      assert.equal(await tried(control, owner), 200);
      assert.equal(await tried(control, wrong), 401);
      assert.equal(await tried(control, owner), 200);
    });

    it('are counted for unknown people as well: being made to wait tells nothing', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const eve = { ...wrong, email: 'eve@example.com' };
      for (let index = 0; index < 5; index += 1) assert.equal(await tried(control, eve), 401);
      assert.equal(await tried(control, eve), 429);
    });

    it('are counted before their outcome is known: a crowd at once gets no further', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      await withOwner(control);
      const statuses = await Promise.all(Array.from({ length: 12 }, () => tried(control, wrong)));
      assert.equal(statuses.filter((status) => status === 401).length, 5);
      assert.equal(statuses.filter((status) => status === 429).length, 7);
    });

    it('are forgotten with time', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      await withOwner(control);
      for (let index = 0; index < 5; index += 1) assert.equal(await tried(control, wrong), 401);
      control.advance(16 * 60_000);
      assert.equal(await tried(control, wrong), 401);
      control.advance(2 * 86_400_000);
      await control.runJob('sessions-cleanup');
      assert.deepEqual(await control.gateway.control?.store.db('login_attempts'), []);
    });
  });

  describe('a session', () => {
    it('ends by logging out, alone or with all others of the person', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token: first } = await withOwner(control);
      const second = await loggedIn(control);
      const third = await loggedIn(control);
      const out = await control.call('POST', '/v1/auth/logout', { key: second });
      assert.equal(out.status, 200);
      assert.equal(cookieOf(out.headers), 'portcullis_session=');
      assert.deepEqual(
        [await isLive(control, first), await isLive(control, second), await isLive(control, third)],
        [true, false, true],
      );
      await control.ok('POST', '/v1/auth/logout-all', { key: third });
      assert.deepEqual([await isLive(control, first), await isLive(control, third)], [false, false]);
      assert.equal((await audited(control, 'logout')).length, 2);
    });

    it('ends after twelve hours, and its row goes', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token } = await withOwner(control);
      control.advance(43_190_000);
      assert.ok(await isLive(control, token));
      control.advance(20_000);
      assert.equal(await isLive(control, token), false);
      await control.runJob('sessions-cleanup');
      assert.deepEqual(await control.gateway.control?.store.db('sessions'), []);
    });

    it('lives as long as SESSION_TTL says', async (t) => {
      const control = await startSessions(t, { store: await fresh(), env: { SESSION_TTL: '60000' } });
      const { token } = await withOwner(control);
      control.advance(60_000);
      assert.equal(await isLive(control, token), false);
    });

    it('ends at once when the organisation shortens the lives of all', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token } = await withOwner(control);
      control.advance(901_000);
      assert.ok(await isLive(control, token));
      await control.ok('PUT', '/v1/admin/organisation', { body: { session_settings: { max_session_ttl: 900 } } });
      assert.equal(await isLive(control, token), false);
      assert.ok(await isLive(control, await loggedIn(control)));
    });

    it('is listed to its person, who can end any of the own ones and no other', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token } = await withOwner(control);
      const other = await loggedIn(control);
      const { data } = await control.ok('GET', '/v1/auth/sessions', { key: token });
      const sessions = asObjects(data);
      assert.deepEqual(sessions.map(({ current }) => current).sort(), [false, true]);
      const id = String(sessions.find(({ current }) => current === false)?.id);
      await control.ok('DELETE', `/v1/auth/sessions/${id}`, { key: token });
      assert.equal(await isLive(control, other), false);
      const gone = await control.call('DELETE', `/v1/auth/sessions/${id}`, { key: token });
      assert.equal(gone.status, 404);
    });

    it('ends when an admin ends all of the user', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token, userId } = await withOwner(control);
      const { revoked } = await control.ok('POST', `/v1/admin/users/${userId}/revoke-sessions`, { body: {} });
      assert.equal(revoked, 1);
      assert.equal(await isLive(control, token), false);
      const scopes = ['organisation_users.read'];
      const refused = await control.call('POST', `/v1/admin/users/${userId}/revoke-sessions`, {
        body: {},
        as: { scopes },
      });
      assert.equal(refused.status, 403);
    });
  });

  describe('a person who leaves', () => {
    it('is logged out at once and cannot log in', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      await withOwner(control);
      const users = control.gateway.control?.store.db('users');
      await users?.update({ role: 'member' });
      const token = await loggedIn(control);
      const { user } = await control.ok('GET', '/v1/auth/self', { key: token });
      await control.ok('DELETE', `/v1/admin/users/${String(asObject(user)?.id)}`);
      assert.equal(await isLive(control, token), false);
      assert.equal(await tried(control, owner), 401);
    });
  });
});

describe('GET /auth/self', () => {
  it('says who, where and with which rights', async (t) => {
    const control = await startSessions(t);
    const { token, userId } = await withOwner(control);
    const self = await control.ok('GET', '/v1/auth/self', { key: token });
    assert.equal(asObject(self.user)?.id, userId);
    assert.equal(asObject(self.organisation)?.id, control.organisationId);
    assert.equal(self.org_role, 'owner');
    assert.deepEqual(
      asObjects(self.workspaces).map(({ role }) => role),
      ['admin'],
    );
    assert.ok(Array.isArray(self.scopes) && self.scopes.includes('organisation_users.update'));
    assert.equal(typeof self.settings, 'object');
  });

  it('is not for API keys, nor for nobody', async (t) => {
    const control = await startSessions(t);
    assert.equal((await control.call('GET', '/v1/auth/self', { as: { keyType: 'workspace-service' } })).status, 401);
    assert.equal((await control.call('GET', '/v1/auth/self', { key: 'pc-unknown' })).status, 401);
  });
});
