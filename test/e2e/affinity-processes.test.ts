import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileScope, hashOf } from '../../core/affinity/rows.ts';
import { affinityMigrations, affinityTable } from '../../core/affinity/tables.ts';
import { startControl, type TestControl, testKeyMaterial } from '../support/control.ts';
import { startGateway } from '../support/gateway.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { account, balanced, startAccount, upload } from './affinity-world.ts';

noUnhandledRejections();

const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
  for (let tries = 0; !(await holds()); tries += 1) {
    assert.ok(tries < 400, `${what}: never came`);
    await delay(10);
  }
};

async function accounts(t: TestContext) {
  const [a, b] = [await startAccount(t, 'a'), await startAccount(t, 'b')];
  const configs = { main: balanced(account(a, 'key-a'), account(b, 'key-b')) };
  return { a, b, config: { configs, defaultConfig: 'main' } };
}

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'portcullis-affinity-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const rowsIn = async ({ gateway }: TestControl): Promise<number> => {
  const rows: readonly unknown[] = (await gateway.control?.store.db(affinityTable)) ?? [];
  return rows.length;
};

describe('two processes on one store', () => {
  it("see each other's rows, also after both have started anew", async (t) => {
    const { a, b, config } = await accounts(t);
    const store = { kind: 'sqlite', file: join(folder(t), 'store.db') } as const;
    const keyMaterial = testKeyMaterial();
    // The first always chooses one account, the second the other.
    const start = (chance: number) =>
      startControl(t, { store, keyMaterial, config, overrides: { random: () => chance } });
    const [one, two] = [await start(0.1), await start(0.9)];
    const id = await upload(one);
    assert.ok(a.objects.has(id));
    await until('the row', async () => (await rowsIn(two)) === 1);
    assert.equal((await fetch(`${two.url}/v1/files/${id}`)).status, 200);
    assert.equal(b.requests.length, 0);
    const third = await start(0.9);
    assert.equal((await fetch(`${third.url}/v1/files/${id}`)).status, 200);
    assert.equal((await fetch(`${third.url}/v1/files/${id}`, { method: 'DELETE' })).status, 200);
    await until('the deletion', async () => (await rowsIn(two)) === 0);
    assert.equal(b.requests.length, 0);
  });

  it('write what has not been written when they are closed', async (t) => {
    const { config, b } = await accounts(t);
    const store = { kind: 'sqlite', file: join(folder(t), 'store.db') } as const;
    const keyMaterial = testKeyMaterial();
    const first = await startControl(t, { store, keyMaterial, config, overrides: { random: () => 0.1 } });
    const id = await upload(first);
    await first.gateway.close();
    const second = await startControl(t, { store, keyMaterial, config, overrides: { random: () => 0.9 } });
    assert.equal((await fetch(`${second.url}/v1/files/${id}`)).status, 200);
    assert.equal(b.requests.length, 0);
  });
});

describe('gateways without a store of their own', () => {
  it('keep their rows in the control plane', async (t) => {
    const { a, b, config } = await accounts(t);
    const token = 'a-service-token-of-32-characters';
    const control = await startControl(t, { settings: { serviceToken: token } });
    const remote = { url: control.url, token, insecure: true, pollMs: 200 };
    const keys = [{ name: 'k', sha256: hashOf('pk-file') }];
    const start = (chance: number) => startGateway(t, { ...config, keys, remote }, { random: () => chance });
    const [one, two] = [await start(0.1), await start(0.9)];
    const headers = { 'x-gw-api-key': 'pk-file' };
    const id = await upload(one, headers);
    await until('the row', async () => (await rowsIn(control)) === 1);
    assert.equal((await two.request('GET', `/v1/files/${id}`, { headers })).status, 200);
    assert.equal((await two.request('DELETE', `/v1/files/${id}`, { headers })).status, 200);
    await until('the deletion', async () => (await rowsIn(control)) === 0);
    assert.deepEqual([a.requests.length, b.requests.length], [3, 0]);
  });
});

describe('a store that is away', () => {
  it('is made up for by memory; what nobody knows goes on as usual, and the log tells of it once', async (t) => {
    const { a, b, config } = await accounts(t);
    let chance = 0.1;
    const control = await startControl(t, { config, overrides: { random: () => chance } });
    const before = await upload(control);
    await until('the row', async () => (await rowsIn(control)) === 1);
    const db = control.gateway.control?.store.db;
    assert.ok(db !== undefined);
    await db.schema.dropTable(affinityTable);
    const during = await upload(control);
    chance = 0.9;
    for (const id of [before, during]) assert.equal((await fetch(`${control.url}/v1/files/${id}`)).status, 200);
    assert.equal(b.requests.length, 0);
    a.objects.set('file-old', { id: 'file-old', object: 'file' });
    assert.equal((await fetch(`${control.url}/v1/files/file-old`)).status, 404, 'where the plan leads');
    assert.equal(b.requests.length, 1);
    const told = () => control.log.filter(({ event }) => event.startsWith('affinity_')).map(({ event }) => event);
    assert.deepEqual(told(), ['affinity_away']);
    for (const migration of affinityMigrations) await migration.up(db);
    await until('the rows of the outage', async () => (await rowsIn(control)) > 0);
    await until('the end in the log', () => told().includes('affinity_back'));
    assert.deepEqual(told(), ['affinity_away', 'affinity_back']);
  });
});

describe('without a control plane', () => {
  it('processes share what they know in Redis', { skip: redisMissing ?? false }, async (t) => {
    const { a, b, config } = await accounts(t);
    const redis = await startRedis();
    t.after(() => redis.close());
    const start = (chance: number) => startGateway(t, { ...config, redisUrl: redis.url }, { random: () => chance });
    const [one, two] = [await start(0.1), await start(0.9)];
    const id = await upload(one);
    const known = async () => typeof (await two.gateway.runtime.affinity.find([hashOf(id)], fileScope))[0] === 'object';
    await until('the row', known);
    assert.equal((await two.request('GET', `/v1/files/${id}`)).status, 200);
    assert.equal((await two.request('DELETE', `/v1/files/${id}`)).status, 200);
    assert.deepEqual([a.requests.length, b.requests.length], [3, 0]);
    await redis.stop();
    const again = await upload(one);
    assert.equal((await one.request('GET', `/v1/files/${again}`)).status, 200);
    assert.equal((await two.request('GET', `/v1/files/${again}`)).status, 404);
  });
});
