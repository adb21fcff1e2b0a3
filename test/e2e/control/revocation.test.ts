import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { mariaDbMissing } from '../../support/mariadb.ts';
import { startPeer } from '../../support/peer.ts';
import { redisMissing, startRedis } from '../../support/redis.ts';
import { freshOnMariaDb } from '../../support/stores.ts';
import { furnish } from './furnish.ts';
import { askOf, databaseEnv, firstAdminKey, freshFolder, startProcess, until } from './processes.ts';

/** What is promised for every process of a deployment. */
const promisedMs = 5000;

describe('two processes on one database server', { skip: mariaDbMissing ?? false }, () => {
  it('both stop a key within five seconds that one of them revoked, and follow a config', async (t) => {
    await followsChanges(t, {});
  });

  it('do so with notices through Redis as well', { skip: redisMissing ?? false }, async (t) => {
    const redis = await startRedis();
    t.after(() => redis.close());
    // Asking alone would be too late.
    await followsChanges(t, { REDIS_URL: redis.url, DIRECTORY_POLL_MS: '60000' });
  });
});

async function followsChanges(t: TestContext, extra: Readonly<Record<string, string>>): Promise<void> {
  const env = {
    ...databaseEnv(await freshOnMariaDb()),
    PORTCULLIS_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...extra,
  };
  const peer = await startPeer(t);
  const first = await startProcess(t, { folder: freshFolder(t), env });
  const ask = askOf(first, await firstAdminKey(first));
  const second = await startProcess(t, { folder: freshFolder(t), env });
  const shop = await furnish(ask, peer.origin, 'Shop');
  const other = await furnish(ask, peer.origin, 'Other');
  const chatOf = ({ key, config }: typeof shop) => second.chat(key, { 'x-gw-config': config });
  await until('the second process knows the keys', promisedMs, async () => {
    const replies = await Promise.all([chatOf(shop), chatOf(other)]);
    return replies.every(({ status }) => status === 200);
  });

  await ask('PUT', `/v1/configs/${other.config}`, {
    config: { provider: `@${other.provider}`, override_params: { user: 'config-2' } },
  });
  await until('the second process serves the new config', promisedMs, async () => {
    assert.equal((await chatOf(other)).status, 200);
    return peer.requests.at(-1)?.body.user === 'config-2';
  });

  await ask('DELETE', `/v1/api-keys/${shop.keyId}`);
  assert.equal((await first.chat(shop.key, { 'x-gw-config': shop.config })).status, 401, 'at once where it was done');
  await until('the second process refuses the key', promisedMs, async () => {
    const { status } = await chatOf(shop);
    assert.ok(status === 200 || status === 401, String(status));
    return status === 401;
  });
  assert.equal((await chatOf(other)).status, 200);
}
