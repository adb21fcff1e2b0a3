import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startControl } from '../../support/control.ts';

const plugins = ['audit-log', 'tenancy', 'api-keys', 'configs'];

it("new keys begin with the operator's prefix, and are taken", async (t) => {
  const c = await startControl(t, { plugins, env: { API_KEY_PREFIX: 'acme-' } });
  assert.match(c.adminKey, /^acme-[0-9A-Za-z]{40}$/);
  assert.equal((await c.call('GET', '/v1/api-keys/self/details', { key: c.adminKey })).status, 200);
});

it('a prefix that no key can have keeps the gateway from starting', async (t) => {
  await assert.rejects(startControl(t, { plugins, env: { API_KEY_PREFIX: 'a b' } }), {
    code: 'invalid_config',
    message: /API_KEY_PREFIX/,
  });
});
