import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mariaDbMissing, startMariaDb } from '../../support/mariadb.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';
import { freshOnMariaDb } from '../../support/stores.ts';
import { until } from './processes.ts';
import { startWorld, type World } from './world.ts';

noUnhandledRejections();

const callers = 50;
/** Each of the callers asks so often while the server is away. */
const rounds = 12;
/** Far above what a query may take, and far below for ever. */
const boundMs = 60_000;

describe('a database server that goes away under load', { skip: mariaDbMissing ?? false }, () => {
  for (const what of ['stopped', 'frozen'] as const) {
    it(`costs no chat call anything when it is ${what}, and is used again when it is back`, async (t) => {
      // What was committed has to outlive the kill.
      const server = await startMariaDb({ options: ['--innodb-flush-log-at-trx-commit=2'] });
      t.after(() => server.close());
      const world = await startWorld(t, { store: await freshOnMariaDb(server) });
      const { shop, chat, ask, peer } = world;
      const named = { 'x-gw-config': shop.config };
      assert.equal((await chat(shop.key, named)).status, 200);

      const load = beginLoad(world);
      // The gateway closes after it: those of the load must not meet that.
      t.after(() => load.end());
      await until('the load runs', boundMs, () => load.replies() > callers);
      if (what === 'stopped') await server.stop();
      else server.freeze();
      const gone = load.replies();
      try {
        await until('every caller was served without the server', boundMs, async () => {
          const writes = ['POST', 'GET'].map((method) => controlCall(world, method));
          for (const { status, text } of await Promise.all(writes)) assert.equal(status, 503, text);
          return load.replies() > gone + callers * rounds;
        });
        const unknown = await chat(`${shop.key.slice(0, -1)}${shop.key.endsWith('a') ? 'b' : 'a'}`, named);
        assert.equal(unknown.status, 401, 'a key with a wrong checksum needs no store to be refused');
      } finally {
        if (what === 'stopped') await server.start();
        else server.thaw();
      }
      await until('the control plane answers again', boundMs, async () => {
        return (await controlCall(world, 'POST')).status === 200;
      });
      await ask('PUT', `/v1/configs/${shop.config}`, {
        config: { provider: `@${shop.provider}`, override_params: { user: 'config-2' } },
      });
      await until('the gateway serves what was changed', boundMs, () => peer.requests.at(-1)?.body.user === 'config-2');
      const statuses = await load.end();
      assert.deepEqual([...statuses.keys()], [200], JSON.stringify([...statuses]));
      await ask('DELETE', `/v1/api-keys/${shop.keyId}`);
      assert.equal((await chat(shop.key, named)).status, 401);
    });
  }
});

/** Rejects when it takes longer than the bound. */
async function controlCall({ c }: World, method: string) {
  const response = await fetch(`${c.url}/v1/admin/workspaces`, {
    method,
    headers: { 'x-gw-api-key': c.adminKey, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify({ name: 'New' }) } : {}),
    signal: AbortSignal.timeout(boundMs),
  });
  return { status: response.status, text: await response.text() };
}

/** Callers that ask one after the other until the load ends; what they were answered, by status. */
function beginLoad({ chat, shop }: World) {
  const statuses = new Map<number, number>();
  let ending = false;
  let replies = 0;
  const running = Array.from({ length: callers }, async () => {
    while (!ending) {
      const { status } = await chat(shop.key, { 'x-gw-config': shop.config });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      replies += 1;
    }
  });
  return {
    replies: () => replies,
    end: async () => {
      ending = true;
      await Promise.all(running);
      return statuses;
    },
  };
}
