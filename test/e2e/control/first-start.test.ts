import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { mariaDbMissing } from '../../support/mariadb.ts';
import { startPeer } from '../../support/peer.ts';
import { freshOnMariaDb } from '../../support/stores.ts';
import { furnish } from './furnish.ts';
import { askOf, databaseEnv, firstAdminKey, freshFolder, startProcess } from './processes.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;
const occurrences = (text: string, of: string) => text.split(of).length - 1;

describe('the first start in an empty folder', () => {
  it('needs nothing, tells its admin key once, and a restart keeps everything', async (t) => {
    const folder = freshFolder(t);
    const peer = await startPeer(t);
    const first = await startProcess(t, { folder });
    const adminKey = await firstAdminKey(first);
    assert.match(adminKey, /^[A-Za-z0-9]{40}$/);
    assert.equal(occurrences(first.output(), adminKey), 1);
    const data = join(folder, 'data');
    assert.equal(modeOf(data), 0o700);
    const [keyFile = ''] = readdirSync(data).filter((file) => file.endsWith('.key'));
    assert.equal(modeOf(join(data, keyFile)), 0o600, keyFile);
    assert.equal(modeOf(join(data, 'portcullis.db')), 0o600, 'the database');

    const anonymous = await first.chat(undefined, {}, 'echo');
    assert.equal(anonymous.status, 200, anonymous.text);
    const asAdmin = await first.chat(adminKey, {}, 'echo');
    assert.equal(asAdmin.status, 403);
    assert.match(String((asAdmin.json.error as { message?: string }).message), /^[A-Z].{20,}\.$/);

    const shop = await furnish(askOf(first, adminKey), peer.origin, 'Shop');
    const refused = await first.chat(undefined, {}, 'echo');
    assert.equal(refused.status, 401, refused.text);
    assert.equal((await first.chat(shop.key, { 'x-gw-config': shop.config })).status, 200);
    assert.equal(await first.stop(), 0);

    const second = await startProcess(t, { folder });
    assert.equal(second.adminKey, '');
    assert.equal(occurrences(second.output(), 'Bootstrap token'), 0);
    assert.equal((await second.chat(undefined, {}, 'echo')).status, 401);
    const kept = await second.chat(shop.key, { 'x-gw-config': shop.config });
    assert.equal(kept.status, 200, kept.text);
    assert.deepEqual(
      peer.requests.map(({ headers, body }) => [headers.authorization, body.user]),
      [
        [shop.authorization, 'config-1'],
        [shop.authorization, 'config-1'],
      ],
    );
    const { total } = await askOf(second, adminKey)('GET', '/v1/admin/workspaces');
    assert.equal(total, 2, 'the default workspace and the one that was made');
    assert.equal(await second.stop(), 0);
  });
});

describe('a first start on an address that others reach', () => {
  it('takes nobody without a key, and no inference from the admin key', async (t) => {
    const process = await startProcess(t, { folder: freshFolder(t), env: { HOST: '0.0.0.0' } });
    const url = process.url.replace('0.0.0.0', '127.0.0.1');
    const ask = (headers: Readonly<Record<string, string>>) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'x' }] }),
      });
    assert.equal((await ask({})).status, 401);
    assert.equal((await ask({ 'x-gw-api-key': await firstAdminKey(process) })).status, 403);
    assert.equal(await process.stop(), 0);
  });
});

describe('two processes that start at once on one database server', { skip: mariaDbMissing ?? false }, () => {
  it('make one organisation, and one of them tells the admin key that both know', async (t) => {
    const env = {
      ...databaseEnv(await freshOnMariaDb()),
      PORTCULLIS_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const [a, b] = await Promise.all([0, 1].map(() => startProcess(t, { folder: freshFolder(t), env })));
    assert.ok(a !== undefined && b !== undefined);
    const key = await firstAdminKey(a, b);
    const seen = await Promise.all([a, b].map((one) => askOf(one, key)('GET', '/v1/organisation')));
    assert.equal(seen[0]?.id, seen[1]?.id);
    for (const one of [a, b]) assert.equal((await askOf(one, key)('GET', '/v1/admin/workspaces')).total, 1);
    assert.equal((await a.chat(undefined, {}, 'echo')).status, 401, 'a database server is a deployment');
    assert.deepEqual(await Promise.all([a.stop(), b.stop()]), [0, 0]);
    assert.equal([a, b].filter(({ adminKey }) => adminKey !== '').length, 1);
  });
});
