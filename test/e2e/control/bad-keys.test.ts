import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Knex } from 'portcullis/sdk';
import { Pool } from 'undici';
import { onEachStore } from '../../support/stores.ts';
import { startWorld, type World } from './world.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const flood = 20_000;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] });

/** The directory asks what has changed so seldom that no such statement is among those counted. */
const quiet = { settings: { pollMs: 60_000 } };

it('a flood of made-up keys reaches neither the store nor the memory', async (t) => {
  const world = await startWorld(t, quiet);
  const { c, shop } = world;
  const send = sender(t, c.url);
  await statusesOf(send, 500, randomKey);
  const statements = statementsOf(world);
  const before = { held: await heldBytes(), status: { ...directoryOf(world).status } };
  assert.deepEqual(await statusesOf(send, flood / 2, randomKey), { 401: flood / 2 });
  const asSdksDo: Send = (key) => send(key, { authorization: `Bearer ${key}` });
  assert.deepEqual(await statusesOf(asSdksDo, flood / 2, randomKey), { 401: flood / 2 });
  // The vault looks for new keys of its own by the clock, whoever asks.
  assert.deepEqual(
    statements.filter((sql) => !sql.includes('encryption_keys')),
    [],
  );
  assert.deepEqual({ ...directoryOf(world).status }, before.status);
  // The lines of the test's own log.
  c.log.length = 0;
  const grown = (await heldBytes()) - before.held;
  // A hundred bytes for each key would be two megabytes.
  assert.ok(grown < 1_500_000, `${grown} bytes more are held`);
  assert.equal(await send(shop.key, { 'x-gw-config': shop.config }), 200);
});

onEachStore((_name, _open, fresh) => {
  it('keys that were issued and deleted cost one look-up each, and are remembered as unknown', async (t) => {
    const world = await startWorld(t, { store: await fresh(), ...quiet });
    const { c, ask, shop } = world;
    const send = sender(t, c.url);
    const keys: string[] = [];
    for (let index = 0; index < 20; index++) {
      const { id, key } = await ask('POST', '/v1/api-keys/workspace/service', {
        name: `Key ${index}`,
        workspace_id: shop.workspaceId,
        scopes: ['completions.write'],
      });
      await ask('DELETE', `/v1/api-keys/${id}`);
      keys.push(String(key));
    }
    const statements = statementsOf(world);
    const misses = directoryOf(world).status.misses;
    for (let round = 0; round < 3; round++) {
      let next = 0;
      assert.deepEqual(await statusesOf(send, keys.length, () => keys[next++] ?? ''), { 401: keys.length });
    }
    const lookUps = statements.filter((sql) => sql.includes('api_key_secrets'));
    assert.equal(lookUps.length, keys.length);
    // Session tokens have the same form, so each is asked for as such as well.
    assert.ok(statements.length <= 2 * keys.length, statements.slice(0, 5).join('\n'));
    assert.ok(directoryOf(world).status.misses - misses <= 2 * keys.length);
  });
});

it('keys with a right checksum that nobody issued are forgotten beyond the bound', async (t) => {
  const world = await startWorld(t, quiet);
  const directory = directoryOf(world);
  const { maxMisses, maxEntries } = directory.bounds;
  const { checksum } = world.c.gateway.control ?? assert.fail('no control plane');
  const known = directory.status.records;
  for (let index = 0; index < maxMisses + 500; index++) {
    const text = randomText(32);
    assert.equal(await directory.get('key', hash('sha256', text + checksum(text), 'hex')), undefined);
  }
  assert.equal(directory.status.misses, maxMisses);
  assert.equal(directory.status.records, known, 'they push no record out');
  assert.ok(known < maxEntries);
});

function directoryOf({ c }: World) {
  return c.gateway.control?.directory ?? assert.fail('no control plane');
}

/** Grows with each statement that the store is sent from now on. */
function statementsOf({ c }: World): string[] {
  const { store } = c.gateway.control ?? assert.fail('no control plane');
  const statements: string[] = [];
  const note = ({ sql }: { readonly sql: string }) => void statements.push(sql);
  for (const db of new Set<Knex>([store.db, store.reader])) db.on('query', note);
  return statements;
}

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('');
}

const randomKey = () => randomText(40);

type Send = (key: string, headers?: Readonly<Record<string, string>>) => Promise<number>;

/** Sends chat calls over connections that stay open. */
function sender(t: { after(close: () => Promise<void>): void }, url: string): Send {
  const pool = new Pool(url, { connections: 32 });
  t.after(() => pool.close());
  return async (key, headers = {}) => {
    const carrier = headers.authorization === undefined ? { 'x-gw-api-key': key } : {};
    const reply = await pool.request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', ...carrier, ...headers },
      body,
    });
    await reply.body.dump();
    return reply.statusCode;
  };
}

async function statusesOf(send: Send, count: number, nextKey: () => string): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let left = count;
  const callers = Array.from({ length: 32 }, async () => {
    while (left > 0) {
      left -= 1;
      const status = await send(nextKey());
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });
  await Promise.all(callers);
  return statuses;
}

async function heldBytes(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
