import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hashicorpVault } from '../../../plugins/secret-references/backends/vault.ts';
import type { SecretFault } from '../../../plugins/secret-references/fault.ts';
import { place, type Seen, World } from './world.ts';

const address = 'https://vault.example.com:8200';
const token = { vault_auth_type: 'token', vault_addr: address, vault_token: 'root-token', vault_namespace: 'team/a' };
const approle = {
  vault_auth_type: 'approle',
  vault_addr: `${address}/`,
  vault_role_id: 'role',
  vault_secret_id: 'secret-id',
};
const kubernetes = { vault_auth_type: 'kubernetes', vault_addr: address, vault_role: 'gateway' };

let world: World;
let read: ReturnType<typeof hashicorpVault>;
let live: Set<string>;
let renewable: boolean;

const v2: Readonly<Record<string, object>> = {
  '/v1/secret/data/app': { data: { api_key: 'sk-2', port: 5 }, metadata: { version: 3 } },
  '/v1/secret/data/gone': { data: null, metadata: { version: 2, deletion_time: '2026-01-01T00:00:00Z' } },
};
const v1: Readonly<Record<string, object>> = { '/v1/kv/app': { api_key: 'sk-1' } };

function answer(seen: Seen) {
  if (seen.headers['x-vault-request'] !== 'true') return { status: 400, body: {} };
  if (seen.path.startsWith('/v1/auth/') && seen.path.endsWith('/login')) return logIn(seen);
  if (!live.has(seen.headers['x-vault-token'] ?? '')) return { status: 403, body: { errors: ['permission denied'] } };
  if (seen.path === '/v1/auth/token/renew-self')
    return renewable ? { body: grant(seen.headers['x-vault-token'] ?? '') } : { status: 400, body: {} };
  if (seen.path === '/v1/auth/token/lookup-self') return { body: { data: {} } };
  if (seen.path.startsWith('/v1/forbidden')) return { status: 403, body: { errors: ['1 error occurred'] } };
  const data = v2[seen.path] ?? v1[seen.path];
  return data === undefined ? { status: 404, body: { errors: [] } } : { body: { data } };
}

function logIn({ path, body }: Seen) {
  const given = JSON.parse(body) as Record<string, string>;
  const right =
    path === '/v1/auth/approle/login'
      ? given.role_id === 'role' && given.secret_id === 'secret-id'
      : path === '/v1/auth/kubernetes/login' && given.role === 'gateway' && given.jwt === 'service-token';
  if (!right) return { status: 400, body: { errors: ['invalid role or secret ID'] } };
  const made = `s.${world.calls.length}`;
  live.add(made);
  return { body: grant(made) };
}

function grant(client_token: string) {
  return { auth: { client_token, lease_duration: 3600, renewable } };
}

beforeEach(async () => {
  world = new World();
  live = new Set(['root-token']);
  renewable = false;
  await world.serve('vault.example.com:8200', answer);
  read = hashicorpVault(world.reach);
});
afterEach(() => world.close());

const fault = (kind: string) => (error: SecretFault) => error.kind === kind;
const logIns = () => world.calls.filter(({ path }) => path.endsWith('/login')).length;

describe('HashiCorp Vault', () => {
  it('gives all members of a secret of version 2, by the path of the API and by the short one', async () => {
    for (const path of ['secret/data/app', 'secret/app', '/secret/app/']) {
      assert.deepEqual(JSON.parse(await read(place(token, path))), { api_key: 'sk-2', port: 5 });
    }
  });

  it('gives all members of a secret of version 1', async () => {
    assert.deepEqual(JSON.parse(await read(place(token, 'kv/app'))), { api_key: 'sk-1' });
  });

  it('is asked in the namespace of the reference', async () => {
    await read(place(token, 'secret/data/app'));
    assert.equal(world.calls[0]?.headers['x-vault-namespace'], 'team/a');
  });

  it('has no such secret, or has it no more', async () => {
    await assert.rejects(read(place(token, 'secret/none')), fault('missing'));
    await assert.rejects(read(place(token, 'secret/gone')), fault('missing'));
  });

  it('is not asked for a path that leads elsewhere', async () => {
    await assert.rejects(read(place(token, 'secret/../sys/seal')), fault('missing'));
    assert.equal(world.calls.length, 0);
  });

  it('denies a wrong token', async () => {
    await assert.rejects(read(place({ ...token, vault_token: 'other' }, 'secret/app')), fault('denied'));
  });

  it('lets an application in by role and secret id, once for all that follows', async () => {
    await Promise.all([read(place(approle, 'secret/app')), read(place(approle, 'kv/app'))]);
    await read(place(approle, 'secret/app'));
    assert.equal(logIns(), 1);
  });

  it('denies an application with a wrong secret id', async () => {
    await assert.rejects(read(place({ ...approle, vault_secret_id: 'wrong' }, 'secret/app')), fault('denied'));
  });

  it('is logged in to again at two thirds of the lease', async () => {
    await read(place(approle, 'secret/app'));
    world.now += 39 * 60_000;
    await read(place(approle, 'secret/app'));
    assert.equal(logIns(), 1);
    world.now += 2 * 60_000;
    await read(place(approle, 'secret/app'));
    assert.equal(logIns(), 2);
  });

  it('renews a lease that can be renewed, which spares the secret id', async () => {
    renewable = true;
    await read(place(approle, 'secret/app'));
    world.now += 41 * 60_000;
    await read(place(approle, 'secret/app'));
    assert.equal(logIns(), 1);
    assert.equal(world.count('/v1/auth/token/renew-self'), 1);
  });

  it('is logged in to again when the renewal is refused', async () => {
    renewable = true;
    await read(place(approle, 'secret/app'));
    world.now += 41 * 60_000;
    renewable = false;
    await read(place(approle, 'secret/app'));
    assert.equal(logIns(), 2);
  });

  it('is logged in to again at once when the token was revoked', async () => {
    await read(place(approle, 'secret/app'));
    live.clear();
    assert.deepEqual(JSON.parse(await read(place(approle, 'secret/app'))), { api_key: 'sk-2', port: 5 });
    assert.equal(logIns(), 2);
  });

  it('is not logged in to again for a path that the role may not read', async () => {
    await assert.rejects(read(place(approle, 'forbidden/app')), fault('denied'));
    await assert.rejects(read(place(approle, 'forbidden/app')), fault('denied'));
    assert.equal(logIns(), 1);
  });

  it('gets the token of the service account where the operator names its address', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'token');
    writeFileSync(file, 'service-token\n');
    Object.assign(world.env, {
      SECRET_KUBERNETES_TOKEN_FILE: file,
      SECRET_KUBERNETES_VAULTS: `https://other.example.com, ${address}`,
    });
    assert.deepEqual(JSON.parse(await read(place(kubernetes, 'secret/app'))), { api_key: 'sk-2', port: 5 });
  });

  it('never gets the token of the service account at an address that the operator has not named', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'token');
    writeFileSync(file, 'service-token\n');
    for (const vaults of ['', 'https://vault.example.com', 'http://vault.example.com:8200']) {
      Object.assign(world.env, { SECRET_KUBERNETES_TOKEN_FILE: file, SECRET_KUBERNETES_VAULTS: vaults });
      await assert.rejects(read(place(kubernetes, 'secret/app')), fault('not_allowed'));
    }
    assert.equal(world.calls.length, 0);
  });
});
