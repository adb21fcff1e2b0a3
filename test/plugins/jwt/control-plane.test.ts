import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';
import { sign, signingKey } from './issuer.ts';

const plugins = ['audit-log', 'tenancy', 'sessions'];
const config = {
  phases: { identify: [{ plugin: 'sessions' }, { plugin: 'jwt' }, { plugin: 'static-keys' }] },
  keys: [{ name: 'any', sha256: 'a'.repeat(64) }],
};

onEachStore((_, __, fresh) => {
  describe('a token at the control plane', () => {
    it('is a caller of its organisation, as long as that has its key', async (t) => {
      const control = await startControl(t, { plugins, config, env: { JWT_ENABLED: 'ON' }, store: await fresh() });
      const key = await signingKey('first');
      const claims: JsonObject = {
        portkey_oid: control.organisationId,
        scope: 'workspaces.list organisation_users.list',
        email_id: 'ann@example.com',
        exp: Math.floor(control.now() / 1000) + 600,
      };
      const token = await sign(key, claims);
      const self = () => control.call('GET', '/v1/auth/self', { key: token });
      assert.equal((await self()).status, 403);

      const settings = (jwks: JsonObject | null) =>
        control.ok('PUT', '/v1/admin/organisation', { body: { auth_settings: { jwks } } });
      await settings({ keys: [key.jwk] });
      const { status, json } = await self();
      assert.equal(status, 200);
      assert.equal(asObject(json.user)?.id, 'ann@example.com');
      assert.equal(json.org_role, null);
      assert.deepEqual(json.scopes, ['workspaces.list']);
      assert.equal(asObjects(json.workspaces).length, 1);

      const listed = await control.call('GET', '/v1/admin/workspaces', { key: token });
      assert.equal(listed.status, 200);
      const refused = await control.call('GET', '/v1/admin/users', { key: token });
      assert.equal(refused.status, 403);
      const ending = await control.call('POST', '/v1/auth/logout', { key: token });
      assert.equal(ending.status, 403);

      const other = await signingKey('second');
      await settings({ keys: [other.jwk] });
      assert.equal((await self()).status, 401);
      await settings(null);
      assert.equal((await self()).status, 403);

      const told = async () => asObjects((await control.ok('GET', '/v1/audit-logs?action=token_refused')).records);
      // Written in the background: the answer does not wait for it.
      while ((await told()).length < 3) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(JSON.stringify(await told()).includes(token), false);
    });

    it('fills the audit log no faster than a few entries a minute', async (t) => {
      const control = await startControl(t, { plugins, config, env: { JWT_ENABLED: 'ON' }, store: await fresh() });
      const key = await signingKey('first');
      await control.ok('PUT', '/v1/admin/organisation', { body: { auth_settings: { jwks: { keys: [key.jwk] } } } });
      const foreign = await signingKey('first');
      for (let number = 0; number < 70; number += 1) {
        const exp = Math.floor(control.now() / 1000) + 600 + number;
        const token = await sign(foreign, { portkey_oid: control.organisationId, exp });
        assert.equal((await control.call('GET', '/v1/auth/self', { key: token })).status, 401);
      }
      const total = async () => Number((await control.ok('GET', '/v1/audit-logs?action=token_refused')).total);
      while ((await total()) < 60) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(await total(), 60);
    });
  });
});
