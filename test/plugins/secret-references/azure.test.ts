import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { azureKeyVault } from '../../../plugins/secret-references/backends/azure.ts';
import { vaultOf } from '../../../plugins/secret-references/backends/azure-clouds.ts';
import type { SecretFault } from '../../../plugins/secret-references/fault.ts';
import { place, World } from './world.ts';

const vault = 'https://ours.vault.azure.net';
const entra = {
  azure_auth_mode: 'entra',
  azure_entra_tenant_id: 'tenant-1',
  azure_entra_client_id: 'client-1',
  azure_entra_client_secret: 'client/secret',
  azure_vault_url: `${vault}/`,
};

let world: World;
let read: ReturnType<typeof azureKeyVault>;
/** Tokens that the vault takes. */
let live: Set<string>;

beforeEach(async () => {
  world = new World();
  live = new Set();
  let issued = 0;
  const issue = () => {
    issued += 1;
    live.add(`token-${issued}`);
    return { access_token: `token-${issued}`, expires_in: 3600, token_type: 'Bearer' };
  };
  await world.serve('login.microsoftonline.com', ({ path, method, body }) => {
    const fields = new URLSearchParams(body);
    const proven =
      fields.get('client_secret') === 'client/secret' ||
      (fields.get('client_assertion') === 'federated' &&
        fields.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const right =
      method === 'POST' &&
      path === '/tenant-1/oauth2/v2.0/token' &&
      fields.get('grant_type') === 'client_credentials' &&
      fields.get('client_id') === 'client-1' &&
      fields.get('scope') === 'https://vault.azure.net/.default' &&
      proven;
    return right ? { body: issue() } : { status: 401, body: { error: 'invalid_client' } };
  });
  await world.serve('ours.vault.azure.net', ({ path, query, headers }) => {
    if (!live.has((headers.authorization ?? '').replace('Bearer ', ''))) return { status: 401, body: {} };
    if (query.get('api-version') !== '7.4') return { status: 400, body: {} };
    if (path === '/secrets/forbidden') return { status: 403, body: {} };
    if (path === '/secrets/app-key' || path === '/secrets/app-key/0123abcd')
      return { body: { value: 'sk-1', id: path } };
    return { status: 404, body: { error: { code: 'SecretNotFound' } } };
  });
  await world.serve('169.254.169.254', ({ headers, query, path }) =>
    headers.metadata === 'true' &&
    path === '/metadata/identity/oauth2/token' &&
    query.get('resource') === 'https://vault.azure.net' &&
    [null, 'managed-1'].includes(query.get('client_id'))
      ? { body: { ...issue(), expires_in: '3600' } }
      : { status: 400, body: {} },
  );
  await world.serve('localhost:42356', ({ headers, query }) =>
    headers['x-identity-header'] === 'proof' && query.get('api-version') === '2019-08-01'
      ? { body: { access_token: issue().access_token, expires_on: String(world.now / 1000 + 3600) } }
      : { status: 401, body: {} },
  );
  read = azureKeyVault(world.reach);
});
afterEach(() => world.close());

const fault = (kind: string) => (error: SecretFault) => error.kind === kind;

describe('Azure Key Vault', () => {
  it('gives a secret to an application that has logged in', async () => {
    assert.equal(await read(place(entra, 'app-key')), 'sk-1');
  });

  it('gives the version that the path names', async () => {
    assert.equal(await read(place(entra, 'app-key/0123abcd')), 'sk-1');
  });

  it('keeps the token for two thirds of its life', async () => {
    const logIns = () => world.count('/tenant-1/oauth2/v2.0/token');
    await read(place(entra, 'app-key'));
    world.now += 39 * 60_000;
    await read(place(entra, 'app-key'));
    assert.equal(logIns(), 1);
    world.now += 2 * 60_000;
    await read(place(entra, 'app-key'));
    assert.equal(logIns(), 2);
  });

  it('serves on with a token that has time left while nobody gives another', async () => {
    await read(place(entra, 'app-key'));
    world.now += 41 * 60_000;
    world.blocked.add('login.microsoftonline.com');
    assert.equal(await read(place(entra, 'app-key')), 'sk-1');
    world.now += 20 * 60_000;
    await assert.rejects(read(place(entra, 'app-key')), fault('blocked'));
  });

  it('is logged in to again after it has refused the token', async () => {
    await read(place(entra, 'app-key'));
    live.clear();
    await assert.rejects(read(place(entra, 'app-key')), fault('denied'));
    assert.equal(await read(place(entra, 'app-key')), 'sk-1');
  });

  it('does not share tokens between credentials', async () => {
    await read(place(entra, 'app-key'));
    await assert.rejects(read(place({ ...entra, azure_entra_client_secret: 'wrong' }, 'app-key')), fault('denied'));
  });

  it('has no such secret, or does not give it', async () => {
    await assert.rejects(read(place(entra, 'none')), fault('missing'));
    await assert.rejects(read(place(entra, 'forbidden')), fault('denied'));
  });

  it('is not asked for a path that would lead elsewhere', async () => {
    await assert.rejects(read(place(entra, '../keys/app')), fault('missing'));
    assert.equal(world.calls.length, 0);
  });

  it('gives a secret to the managed identity of the machine', async () => {
    const managed = { azure_auth_mode: 'managed', azure_managed_client_id: 'managed-1', azure_vault_url: vault };
    assert.equal(await read(place(managed, 'app-key')), 'sk-1');
  });

  it('gives nothing to a managed identity when the operator does not trust the metadata address', async () => {
    world.blocked.add('169.254.169.254');
    await assert.rejects(
      read(place({ azure_auth_mode: 'managed', azure_vault_url: vault }, 'app-key')),
      fault('blocked'),
    );
  });

  it('gives a secret to the identity that the platform names', async () => {
    Object.assign(world.env, { IDENTITY_ENDPOINT: 'http://localhost:42356/msi/token', IDENTITY_HEADER: 'proof' });
    assert.equal(await read(place({ azure_auth_mode: 'managed', azure_vault_url: vault }, 'app-key')), 'sk-1');
  });

  for (const [what, env] of [
    ['its secret', { AZURE_CLIENT_SECRET: 'client/secret' }],
    ['the token of its platform', { AZURE_FEDERATED_TOKEN_FILE: 'file' }],
  ] as const) {
    it(`gives a secret to the application that the gateway runs as, by ${what}`, async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'token');
      writeFileSync(file, 'federated');
      const given = 'AZURE_FEDERATED_TOKEN_FILE' in env ? { AZURE_FEDERATED_TOKEN_FILE: file } : env;
      Object.assign(world.env, { AZURE_TENANT_ID: 'tenant-1', AZURE_CLIENT_ID: 'client-1', ...given });
      assert.equal(await read(place({ azure_auth_mode: 'default', azure_vault_url: vault }, 'app-key')), 'sk-1');
    });
  }

  for (const url of [
    'https://evil.example.com',
    'https://vault.azure.net.evil.com',
    'http://ours.vault.azure.net',
    'https://a.b.vault.azure.net',
    'https://ours.vault.azure.net@evil.com',
    'https://ours.vault.azure.net/x',
  ]) {
    it(`is not ${url}, so no token goes there`, async () => {
      assert.equal(vaultOf(url), undefined);
      await assert.rejects(read(place({ ...entra, azure_vault_url: url }, 'app-key')), fault('blocked'));
      assert.equal(world.calls.length, 0);
    });
  }
});
