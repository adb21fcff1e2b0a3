import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { freePort } from '../../support/guarded-server.ts';
import { startPeer } from '../../support/peer.ts';
import { furnish } from './furnish.ts';
import { askOf, firstAdminKey, freshFolder, startProcess, until } from './processes.ts';

const newToken = () => randomBytes(24).toString('hex');

describe('a control plane and a gateway in processes of their own', () => {
  it('serve together over HTTP, each its own routes, and the gateway goes on alone', async (t) => {
    const peer = await startPeer(t);
    const token = newToken();
    const folder = freshFolder(t);
    const controlEnv = { SERVER_MODE: 'control', SERVICE_TOKEN: token, PORT: String(await freePort()) };
    const control = await startProcess(t, { folder, env: controlEnv });
    const adminKey = await firstAdminKey(control);
    assert.doesNotMatch(control.output(), /only this machine|Try it:/, 'gateways on other machines can reach it');
    const ask = askOf(control, adminKey);
    const gatewayWith = (serviceToken: string) =>
      startProcess(t, {
        folder: freshFolder(t),
        env: { SERVER_MODE: 'gateway', CONTROL_PLANE_URL: control.url, SERVICE_TOKEN: serviceToken },
      });
    const [gateway, stranger] = await Promise.all([gatewayWith(token), gatewayWith(newToken())]);
    const shop = await furnish(ask, peer.origin, 'Shop');

    const named = [{ 'x-gw-config': shop.config }, { 'x-gw-provider': `@${shop.provider}` }];
    for (const headers of named) {
      const reply = await until('the gateway knows the key', 5000, async () => {
        const tried = await gateway.chat(shop.key, headers);
        return tried.status === 200 ? tried : undefined;
      });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(peer.requests.at(-1)?.headers.authorization, shop.authorization);
    }
    const served = peer.requests.length;
    const refused = await stranger.chat(shop.key, { 'x-gw-config': shop.config });
    assert.equal(refused.status, 503, refused.text);
    assert.equal(peer.requests.length, served, 'nothing was sent for a gateway with a wrong token');

    assert.equal((await gateway.chat(undefined)).status, 401, 'nobody is anonymous');
    assert.equal((await control.chat(shop.key, { 'x-gw-config': shop.config })).status, 404);
    assert.equal((await control.call('GET', '/v1/models', { key: shop.key })).status, 404);
    for (const path of ['/v1/admin/workspaces', '/v1/api-keys', '/openapi.json', '/docs']) {
      assert.equal((await gateway.call('GET', path, { key: adminKey })).status, 404, path);
    }

    await control.kill();
    for (let round = 0; round < 20; round++) {
      for (const headers of named) assert.equal((await gateway.chat(shop.key, headers)).status, 200);
    }
    const again = await startProcess(t, { folder, env: controlEnv });
    await askOf(again, adminKey)('DELETE', `/v1/api-keys/${shop.keyId}`);
    await until('the gateway follows the control plane again', 25_000, async () => {
      return (await gateway.chat(shop.key, named[0])).status === 401;
    });
    for (const one of [gateway, stranger, again]) assert.equal(await one.stop(), 0);
  });
});
