import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { GatewayError, JsonObject, MaybePromise, ProviderEntry, SecretMapping } from 'portcullis/sdk';
import type { ReferenceEntry } from '../../../plugins/secret-references/entry.ts';
import { resolveSecrets } from '../../../plugins/secret-references/settings.ts';
import { World } from './world.ts';

const host = 'vault.example.com';
const reference: ReferenceEntry = {
  organisationId: 'o',
  id: 'r',
  slug: 'app-secret',
  manager: 'hashicorp_vault',
  auth: { vault_auth_type: 'token', vault_addr: `https://${host}`, vault_token: 't' },
  path: 'hidden-path/app',
};

let world: World;
let secret: JsonObject;
let references: Map<string, ReferenceEntry>;
let logged: string[];
let resolve: (entry: ProviderEntry) => MaybePromise<JsonObject>;
/** How many reads of the secret there were. */
const reads = () => world.calls.filter(({ path }) => path === '/v1/hidden-path/data/app').length;

beforeEach(async () => {
  world = new World();
  secret = { api_key: 'sk-1', account: '{"project":"p"}' };
  references = new Map([['r', reference]]);
  logged = [];
  await world.serve(host, ({ path }) =>
    path === '/v1/hidden-path/data/app'
      ? { body: { data: { data: secret, metadata: { version: 1 } } } }
      : { status: 404, body: {} },
  );
  const note = (event: string, fields?: object) => {
    logged.push(JSON.stringify({ event, ...fields }));
  };
  resolve = resolveSecrets({
    ...world.reach,
    log: {
      debug: note,
      info: note,
      warn: note,
      error: note,
      child: () => assert.fail('no line has fields of its own'),
    },
    directory: ((_: string, organisationId: string, id: string) =>
      organisationId === 'o' ? references.get(id) : undefined) as never,
  });
});
afterEach(() => world.close());

function provider(...secrets: readonly Partial<SecretMapping>[]): ProviderEntry {
  const mapping = { setting: 'api_key', referenceId: 'r', referenceSlug: 'app-secret', format: 'string' as const };
  return Object.freeze({
    organisationId: 'o',
    workspaceId: 'w',
    id: 'p',
    slug: 'p',
    name: 'P',
    integrationId: 'i',
    integrationSlug: 'i',
    status: 'active',
    provider: 'echo',
    settings: {},
    allowAllModels: true,
    models: [],
    secrets: secrets.map((one) => ({ ...mapping, ...one })),
  }) satisfies ProviderEntry;
}

describe('the settings of a provider', () => {
  it('come from the secret that is mapped, by the member that the mapping names', async () => {
    assert.deepEqual(await resolve(provider({ key: 'api_key' })), { api_key: 'sk-1' });
  });

  it('come by the member that the reference names, unless the mapping names another', async () => {
    references.set('r', { ...reference, key: 'api_key' });
    assert.deepEqual(await resolve(provider({})), { api_key: 'sk-1' });
    assert.deepEqual(await resolve(provider({ key: 'account' })), { api_key: '{"project":"p"}' });
  });

  it('are the whole secret where nobody names a member', async () => {
    assert.deepEqual(await resolve(provider({})), { api_key: JSON.stringify(secret) });
    assert.deepEqual(await resolve(provider({ format: 'json' })), { api_key: secret });
  });

  it('are parsed where the mapping says json', async () => {
    const mapped = provider({ setting: 'vertex_service_account_json', key: 'account', format: 'json' });
    assert.deepEqual(await resolve(mapped), { vertex_service_account_json: { project: 'p' } });
  });

  it('are none where nothing is mapped', () => {
    assert.deepEqual(resolve(provider()), {});
  });

  it('are at hand at once while the secret is in memory, as the same object', async () => {
    const entry = provider({ key: 'api_key' }, { setting: 'other', key: 'account' });
    const first = await resolve(entry);
    const second = resolve(entry);
    assert.ok(!(second instanceof Promise));
    assert.equal(second, first);
    assert.ok(Object.isFrozen(second));
  });

  it('are read once for all who wait', async () => {
    const entry = provider({ key: 'api_key' }, { setting: 'other', key: 'api_key' });
    await Promise.all([resolve(entry), resolve(entry), resolve(provider({ key: 'account' }))]);
    assert.equal(reads(), 1);
  });

  it('are kept for five minutes, then read anew', async () => {
    const entry = provider({ key: 'api_key' });
    await resolve(entry);
    secret = { api_key: 'sk-2' };
    world.now += 5 * 60_000 - 1;
    assert.deepEqual(await resolve(entry), { api_key: 'sk-1' });
    assert.equal(reads(), 1);
    world.now += 1;
    assert.deepEqual(await resolve(entry), { api_key: 'sk-2' });
  });

  it('are read anew when the reference has changed', async () => {
    const entry = provider({ key: 'api_key' });
    await resolve(entry);
    references.set('r', { ...reference, path: 'elsewhere/app' });
    await assert.rejects(async () => resolve(entry));
  });

  it('follow the key of a reference that has changed, without another read', async () => {
    const entry = provider({});
    references.set('r', { ...reference, key: 'api_key' });
    assert.deepEqual(await resolve(entry), { api_key: 'sk-1' });
    references.set('r', { ...reference, key: 'account' });
    assert.deepEqual(await resolve(entry), { api_key: '{"project":"p"}' });
    assert.equal(reads(), 1);
  });

  it('do not outlive the five minutes when the manager is away: the request fails', async () => {
    const entry = provider({ key: 'api_key' });
    await resolve(entry);
    world.now += 5 * 60_000;
    world.blocked.add(host);
    await assert.rejects(async () => resolve(entry), { code: 'secret_unavailable' });
  });
});

describe('a secret that cannot be had', () => {
  const moved = (more: Partial<ReferenceEntry>) => () => {
    references.set('r', { ...reference, ...more });
  };
  const cases: readonly [string, Partial<SecretMapping>, () => void][] = [
    ['the member is missing', { key: 'none' }, () => {}],
    ['a member of Object is no member', { key: 'constructor' }, () => {}],
    ['the value is no JSON', { key: 'api_key', format: 'json' }, () => {}],
    ['the reference is gone', {}, () => references.clear()],
    ['the secret is gone', {}, moved({ path: 'hidden-path/none' })],
    ['the manager is blocked', {}, () => world.blocked.add(host)],
    ['the manager is unknown', {}, moved({ manager: 'constructor' })],
    ['the workspace may not use the reference', {}, moved({ workspaces: ['x'] })],
  ];
  for (const [what, mapping, arrange] of cases) {
    it(`fails the request when ${what}, naming the reference and neither path nor value`, async () => {
      arrange();
      const entry = provider(mapping);
      const error = await Promise.resolve()
        .then(() => resolve(entry))
        .then(
          () => assert.fail('it resolves'),
          (thrown: GatewayError) => thrown,
        );
      assert.equal(error.code, 'secret_unavailable');
      assert.equal(error.status, 502);
      assert.match(error.message, /"app-secret"/);
      for (const text of [error.message, ...logged]) assert.doesNotMatch(text, /hidden-path|sk-1|project/);
    });
  }

  it('is open to the workspaces that the reference lists', async () => {
    references.set('r', { ...reference, workspaces: ['w'] });
    assert.deepEqual(await resolve(provider({ key: 'api_key' })), { api_key: 'sk-1' });
  });

  it('is closed to a workspace from the moment on that it is taken from the list', async () => {
    const entry = provider({ key: 'api_key' });
    await resolve(entry);
    references.set('r', { ...reference, workspaces: ['x'] });
    await assert.rejects(async () => resolve(entry), { code: 'secret_unavailable' });
  });

  it('is not asked for again for five seconds, however many ask', async () => {
    references.set('r', { ...reference, path: 'hidden-path/none' });
    const entry = provider({});
    const attempt = () => assert.rejects(async () => resolve(entry), { code: 'secret_unavailable' });
    await attempt();
    const calls = world.calls.length;
    await attempt();
    assert.equal(world.calls.length, calls);
    world.now += 5000;
    await attempt();
    assert.ok(world.calls.length > calls);
  });
});
