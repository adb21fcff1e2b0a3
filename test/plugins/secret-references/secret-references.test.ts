import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { type ControlOptions, startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const plugins = ['audit-log', 'tenancy', 'secret-references'];
const path = '/v1/secret-references';
const aws: JsonObject = {
  aws_auth_type: 'accessKey',
  aws_access_key_id: 'AKIAEXAMPLE',
  aws_secret_access_key: 'wJalrXUtnFEMIexample',
  aws_region: 'eu-west-1',
};
const vaultToken: JsonObject = {
  vault_auth_type: 'token',
  vault_addr: 'https://1.1.1.1:8200',
  vault_token: 'hvs.abcdefghijkl',
};
const reference = (more: JsonObject = {}): JsonObject => ({
  name: 'App',
  manager_type: 'aws_sm',
  auth_config: aws,
  secret_path: 'app/key',
  ...more,
});

const start = (t: TestContext, options: ControlOptions = {}) => startControl(t, { plugins, ...options });
const create = (control: TestControl, more: JsonObject = {}) => control.ok('POST', path, { body: reference(more) });
const get = (control: TestControl, id: unknown) => control.ok('GET', `${path}/${id}`);

async function refusal(control: TestControl, method: string, url: string, body: JsonObject) {
  const { status, json } = await control.call(method, url, { body });
  return [status, asObject(json.data)?.errorCode, asObject(json.error)?.param];
}

async function workspace(control: TestControl, name: string): Promise<JsonObject> {
  return control.ok('POST', '/v1/admin/workspaces', { body: { name } });
}

const directoryOf = (control: TestControl) =>
  (control.gateway.control as NonNullable<typeof control.gateway.control>).directory;

onEachStore((_, __, fresh) => {
  it('is made, shown without its secrets, changed and removed', async (t) => {
    const control = await start(t, { store: await fresh() });
    const made = await create(control, { description: 'for tests', tags: { team: 'a' }, secret_key: 'api_key' });
    assert.deepEqual(Object.keys(made).sort(), ['id', 'object', 'slug']);
    assert.equal(made.object, 'secret-reference');
    for (const name of [made.id, made.slug]) {
      const shown = await get(control, name);
      assert.deepEqual(shown.auth_config, {
        aws_auth_type: 'accessKey',
        aws_access_key_id: 'AKIAEXAMPLE',
        aws_region: 'eu-west-1',
        masked_aws_secret_access_key: 'wJ*****ple',
      });
      assert.equal(shown.status, 'ACTIVE');
      assert.equal(shown.secret_path, 'app/key');
      assert.equal(shown.secret_key, 'api_key');
      assert.equal(shown.created_by, 'test-key');
      assert.deepEqual(shown.tags, { team: 'a' });
      assert.equal(shown.allow_all_workspaces, true);
    }
    assert.deepEqual(await control.ok('PUT', `${path}/${made.slug}`, { body: { name: 'Other' } }), {});
    assert.equal((await get(control, made.id)).name, 'Other');
    assert.deepEqual(await control.ok('DELETE', `${path}/${made.id}`), {});
    assert.equal((await control.call('GET', `${path}/${made.id}`)).status, 404);
  });

  it('is refused a change of nothing that can be changed, with what can', async (t) => {
    const control = await start(t, { store: await fresh() });
    const { id, slug = null } = await create(control);
    for (const body of [{}, { manager_type: 'aws_sm' }, { slug }]) {
      const { status, json } = await control.call('PUT', `${path}/${id}`, { body });
      const { error } = json as { error: { param: string; message: string } };
      assert.deepEqual([status, error.param], [400, 'body']);
      assert.match(error.message, /\bname\b.*\bauth_config\b/);
    }
  });

  it('keeps its secrets encrypted in the store', async (t) => {
    const control = await start(t, { store: await fresh() });
    await create(control);
    const { db } = (control.gateway.control as NonNullable<typeof control.gateway.control>).store;
    const rows = JSON.stringify([await db('secret_references'), await db('audit_logs')]);
    assert.ok(rows.includes('AKIAEXAMPLE'));
    assert.ok(!rows.includes('wJalrXUtnFEMIexample'));
  });

  it('gives the data plane what it needs to read the secret', async (t) => {
    const control = await start(t, { store: await fresh() });
    const { id, slug } = await create(control, { secret_key: 'api_key' });
    const entry = await directoryOf(control).get('secretReference', control.organisationId, String(id));
    assert.deepEqual(entry, {
      organisationId: control.organisationId,
      id,
      slug,
      manager: 'aws_sm',
      auth: aws,
      path: 'app/key',
      key: 'api_key',
    });
    assert.equal(await directoryOf(control).get('secretReference', 'another', String(id)), undefined);
  });

  it('is found by manager, tags and name', async (t) => {
    const control = await start(t, { store: await fresh() });
    await create(control, { name: 'One', tags: { team: 'a', env: 'prod' } });
    await create(control, { name: 'Two', tags: { team: 'a' } });
    await create(control, { name: 'Three', manager_type: 'hashicorp_vault', auth_config: vaultToken });
    const names = async (query: string) =>
      asObjects((await control.ok('GET', `${path}?${query}`)).data)
        .map(({ name }) => name)
        .sort();
    assert.deepEqual(await names(''), ['One', 'Three', 'Two']);
    assert.deepEqual(await names('manager_type=hashicorp_vault'), ['Three']);
    assert.deepEqual(await names(`tags=${encodeURIComponent('{"team":"a"}')}`), ['One', 'Two']);
    assert.deepEqual(await names(`tags=${encodeURIComponent('{"team":"a","env":"prod"}')}`), ['One']);
    assert.deepEqual(await names(`tags=${encodeURIComponent('{"team":"z"}')}`), []);
    assert.deepEqual(await names('search=Thr'), ['Three']);
  });
});

describe('a list of secret references', () => {
  it('tells neither path nor way in', async (t) => {
    const control = await start(t);
    await create(control);
    const { data } = await control.ok('GET', path);
    const [item] = asObjects(data);
    for (const name of ['secret_path', 'auth_config', 'public_auth', 'secret_auth']) {
      assert.ok(!(name in (item ?? {})), name);
    }
  });

  it('gives 20 at a time, 100 at most', async (t) => {
    const control = await start(t);
    for (let index = 0; index < 21; index += 1) await create(control, { name: `n${index}` });
    const { data, total } = await control.ok('GET', path);
    assert.deepEqual([asObjects(data).length, total], [20, 21]);
    assert.equal((await control.call('GET', `${path}?page_size=101`)).status, 400);
  });

  it('refuses tags that are no JSON object of texts', async (t) => {
    const control = await start(t);
    for (const tags of ['a', '[]', '{"a":1}']) {
      assert.equal((await control.call('GET', `${path}?tags=${encodeURIComponent(tags)}`)).status, 400);
    }
  });
});

describe('auth_config', () => {
  const forms: readonly [string, JsonObject, string][] = [
    [
      'aws_sm',
      { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::123456789012:role/x', aws_region: 'eu-west-1' },
      '',
    ],
    ['aws_sm', { aws_auth_type: 'serviceRole' }, ''],
    [
      'azure_kv',
      {
        azure_auth_mode: 'entra',
        azure_entra_tenant_id: 't',
        azure_entra_client_id: 'c',
        azure_entra_client_secret: 's',
        azure_vault_url: 'https://ours.vault.azure.net',
      },
      '',
    ],
    ['azure_kv', { azure_auth_mode: 'managed', azure_vault_url: 'https://ours.vault.azure.net/' }, ''],
    ['azure_kv', { azure_auth_mode: 'default', azure_vault_url: 'https://ours.vault.azure.net' }, ''],
    [
      'hashicorp_vault',
      { vault_auth_type: 'approle', vault_addr: 'https://1.1.1.1', vault_role_id: 'r', vault_secret_id: 's' },
      '',
    ],
    [
      'hashicorp_vault',
      { vault_auth_type: 'kubernetes', vault_addr: 'https://1.1.1.1', vault_role: 'r', vault_namespace: 'a/b' },
      '',
    ],
    ['aws_sm', {}, 'auth_config.aws_auth_type'],
    ['aws_sm', { aws_auth_type: 'constructor' }, 'auth_config.aws_auth_type'],
    ['aws_sm', { ...aws, aws_secret_access_key: '' }, 'auth_config.aws_secret_access_key'],
    ['aws_sm', { ...aws, aws_region: 'evil.example.com/' }, 'auth_config.aws_region'],
    [
      'aws_sm',
      { aws_auth_type: 'assumedRole', aws_role_arn: 'x', aws_region: 'eu-west-1' },
      'auth_config.aws_role_arn',
    ],
    [
      'azure_kv',
      { azure_auth_mode: 'default', azure_vault_url: 'https://evil.example.com' },
      'auth_config.azure_vault_url',
    ],
    ['azure_kv', aws, 'auth_config.azure_auth_mode'],
    ['hashicorp_vault', { ...vaultToken, vault_token: 5 }, 'auth_config.vault_token'],
    ['hashicorp_vault', { vault_auth_type: 'token', vault_token: 't' }, 'auth_config.vault_addr'],
    ['hashicorp_vault', { ...vaultToken, vault_addr: 'http://169.254.169.254/' }, 'auth_config.vault_addr'],
    ['hashicorp_vault', { ...vaultToken, vault_addr: 'http://10.0.0.1:8200' }, 'auth_config.vault_addr'],
    ['hashicorp_vault', { ...vaultToken, vault_addr: 'file:///etc/passwd' }, 'auth_config.vault_addr'],
  ];
  for (const [manager, auth, param] of forms) {
    const what = `${manager} ${JSON.stringify(auth).slice(0, 120)}`;
    it(param === '' ? `takes ${what}` : `refuses ${what}`, async (t) => {
      const control = await start(t);
      const { status, json } = await control.call('POST', path, {
        body: reference({ manager_type: manager, auth_config: auth }),
      });
      assert.equal(status, param === '' ? 200 : 400, JSON.stringify(json));
      if (param !== '') assert.equal(asObject(json.error)?.param, param);
    });
  }

  it('is merged on update and checked against the manager that the reference keeps', async (t) => {
    const control = await start(t);
    const { id } = await create(control);
    await control.ok('PUT', `${path}/${id}`, {
      body: { auth_config: { aws_region: 'us-east-1' }, manager_type: 'aws_sm' },
    });
    const other = { auth_config: { aws_region: 'us-west-1' }, manager_type: 'azure_kv' };
    assert.deepEqual((await refusal(control, 'PUT', `${path}/${id}`, other)).at(2), 'manager_type');
    const entry = await directoryOf(control).get('secretReference', control.organisationId, String(id));
    assert.equal(entry?.manager, 'aws_sm');
    assert.deepEqual(entry?.auth, { ...aws, aws_region: 'us-east-1' });
    const [status, , param] = await refusal(control, 'PUT', `${path}/${id}`, {
      auth_config: { aws_auth_type: 'token' },
    });
    assert.deepEqual([status, param], [400, 'auth_config.aws_auth_type']);
  });

  it('loses what belongs to another way in', async (t) => {
    const control = await start(t);
    const { id } = await create(control);
    await control.ok('PUT', `${path}/${id}`, { body: { auth_config: { aws_auth_type: 'serviceRole' } } });
    assert.deepEqual((await get(control, id)).auth_config, { aws_auth_type: 'serviceRole', aws_region: 'eu-west-1' });
    const entry = await directoryOf(control).get('secretReference', control.organisationId, String(id));
    assert.deepEqual(entry?.auth, { aws_auth_type: 'serviceRole', aws_region: 'eu-west-1' });
  });

  it('must hold its secrets again when the address changes, for they would go there', async (t) => {
    const control = await start(t);
    const { id } = await create(control, { manager_type: 'hashicorp_vault', auth_config: vaultToken });
    const moved = { vault_addr: 'https://8.8.8.8:8200' };
    const [status, , param] = await refusal(control, 'PUT', `${path}/${id}`, { auth_config: moved });
    assert.deepEqual([status, param], [400, 'auth_config.vault_token']);
    await control.ok('PUT', `${path}/${id}`, { body: { auth_config: { ...moved, vault_token: 'hvs.another-token' } } });
    assert.equal(asObject((await get(control, id)).auth_config)?.vault_addr, 'https://8.8.8.8:8200');
  });
});

describe('the workspaces of a secret reference', () => {
  it('are all unless some are named, by id or slug', async (t) => {
    const control = await start(t);
    const [one, two] = [await workspace(control, 'One'), await workspace(control, 'Two')];
    const { id } = await create(control, { allowed_workspaces: [one.id ?? '', two.slug ?? ''] });
    const shown = await get(control, id);
    assert.equal(shown.allow_all_workspaces, false);
    assert.deepEqual(shown.allowed_workspaces, [one.id, two.id]);
  });

  it('are replaced by a list, and by all', async (t) => {
    const control = await start(t);
    const [one, two] = [await workspace(control, 'One'), await workspace(control, 'Two')];
    const { id } = await create(control, { allowed_workspaces: [one.id ?? ''] });
    await control.ok('PUT', `${path}/${id}`, { body: { allowed_workspaces: [two.id ?? ''] } });
    assert.deepEqual((await get(control, id)).allowed_workspaces, [two.id]);
    await control.ok('PUT', `${path}/${id}`, { body: { allow_all_workspaces: true } });
    const shown = await get(control, id);
    assert.deepEqual([shown.allow_all_workspaces, shown.allowed_workspaces], [true, []]);
    await control.ok('PUT', `${path}/${id}`, { body: { allowed_workspaces: [one.id ?? ''] } });
    assert.equal((await get(control, id)).allow_all_workspaces, false);
  });

  const refusals: readonly [string, JsonObject][] = [
    ['all and some at once', { allow_all_workspaces: true, allowed_workspaces: ['x'] }],
    ['an empty list', { allowed_workspaces: [] }],
    ['a workspace that is none', { allowed_workspaces: ['none'] }],
    ['not all and none', { allow_all_workspaces: false }],
  ];
  for (const [what, body] of refusals) {
    it(`cannot be ${what}`, async (t) => {
      const control = await start(t);
      const expected = [400, 'AB01', 'allowed_workspaces'];
      assert.deepEqual(await refusal(control, 'POST', path, reference(body)), expected);
      const { id } = await create(control);
      assert.deepEqual(await refusal(control, 'PUT', `${path}/${id}`, body), expected);
    });
  }

  it('do not become all when the last one is removed', async (t) => {
    const control = await start(t);
    const one = await workspace(control, 'One');
    const { id } = await create(control, { allowed_workspaces: [one.id ?? ''] });
    await control.ok('DELETE', `/v1/admin/workspaces/${one.id}`, { body: { name: 'One', force_delete: true } });
    const shown = await get(control, id);
    assert.deepEqual([shown.allow_all_workspaces, shown.allowed_workspaces], [false, []]);
    const entry = await directoryOf(control).get('secretReference', control.organisationId, String(id));
    assert.deepEqual((entry as { workspaces?: unknown } | undefined)?.workspaces, []);
  });
});

describe('a secret reference', () => {
  const faults: readonly [string, JsonObject, string][] = [
    ['without a name', { name: '' }, 'name'],
    ['with a slug of other characters', { slug: 'a b' }, 'slug'],
    ['of another manager', { manager_type: 'gcp_sm' }, 'manager_type'],
    ['without a path', { secret_path: '' }, 'secret_path'],
    ['with a path that is too long', { secret_path: 'x'.repeat(1025) }, 'secret_path'],
    ['with a description that is too long', { description: 'x'.repeat(1025) }, 'description'],
  ];
  for (const [what, body, param] of faults) {
    it(`${what} is refused`, async (t) => {
      const control = await start(t);
      assert.deepEqual(await refusal(control, 'POST', path, reference(body)), [400, 'AB01', param]);
    });
  }

  it('bears the slug that is given, once in an organisation', async (t) => {
    const control = await start(t);
    assert.equal((await create(control, { slug: 'my-slug' })).slug, 'my-slug');
    const { status } = await control.call('POST', path, { body: reference({ slug: 'my-slug' }) });
    assert.equal(status, 409);
  });

  it('is not updated by a body without any field that can change', async (t) => {
    const control = await start(t);
    const { id } = await create(control);
    for (const body of [{}, { manager_type: 'azure_kv' }, { unknown: 1 }]) {
      assert.equal((await refusal(control, 'PUT', `${path}/${id}`, body))[0], 400);
    }
  });

  it('of another organisation is not found', async (t) => {
    const control = await start(t);
    const { id } = await create(control);
    const as = { organisationId: 'another' };
    assert.equal((await control.call('GET', `${path}/${id}`, { as })).status, 404);
    assert.equal((await control.call('POST', `${path}/${id}/test`, { as, body: {} })).status, 404);
  });

  for (const [method, suffix, scope] of [
    ['GET', '', 'list'],
    ['POST', '', 'create'],
    ['GET', '/:id', 'read'],
    ['PUT', '/:id', 'update'],
    ['DELETE', '/:id', 'delete'],
    ['POST', '/:id/test', 'read'],
  ] as const) {
    it(`needs secret_references.${scope} to ${method} ${suffix || 'the list'}`, async (t) => {
      const control = await start(t);
      const { id } = await create(control);
      const scopes = ['list', 'create', 'read', 'update', 'delete'].filter((one) => one !== scope);
      const { status } = await control.call(method, path + suffix.replace(':id', String(id)), {
        as: { scopes: scopes.map((one) => `secret_references.${one}`) },
        ...(method === 'GET' ? {} : { body: reference() }),
      });
      assert.equal(status, 403);
    });
  }
});

describe('the test of a secret reference', () => {
  /** A vault on this machine, which the operator trusts. */
  async function withVault(t: TestContext) {
    const server = createServer((request, reply) => {
      const right = request.headers['x-vault-token'] === 'right-token-1234';
      const found = request.url === '/v1/secret/data/app';
      const data = { data: { api_key: 'sk-never-shown' }, metadata: { version: 1 } };
      reply.writeHead(right ? (found ? 200 : 404) : 403).end(JSON.stringify({ data }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const control = await start(t);
    const made = (token: string, more: JsonObject = {}) =>
      create(control, {
        manager_type: 'hashicorp_vault',
        auth_config: { vault_auth_type: 'token', vault_addr: `http://127.0.0.1:${port}`, vault_token: token },
        secret_path: 'secret/data/app',
        ...more,
      });
    const probe = async ({ id }: JsonObject, body: JsonObject = {}) => {
      const { text, json, status } = await control.call('POST', `${path}/${id}/test`, { body });
      assert.equal(status, 200, text);
      assert.ok(!text.includes('sk-never-shown'));
      return [json.success, json.status];
    };
    return { made, probe };
  }

  it('says whether it can be read, and never what it is', async (t) => {
    const { made, probe } = await withVault(t);
    assert.deepEqual(await probe(await made('right-token-1234')), [true, 'ok']);
    assert.deepEqual(await probe(await made('right-token-1234', { secret_key: 'api_key' })), [true, 'ok']);
  });

  it('says of which kind the fault is', async (t) => {
    const { made, probe } = await withVault(t);
    assert.deepEqual(await probe(await made('wrong-token-1234')), [false, 'denied']);
    assert.deepEqual(await probe(await made('right-token-1234', { secret_path: 'secret/data/x' })), [false, 'missing']);
    assert.deepEqual(await probe(await made('right-token-1234', { secret_key: 'x' })), [false, 'member_missing']);
    assert.deepEqual(await probe(await made('right-token-1234'), { secret_key: 'y' }), [false, 'member_missing']);
  });
});
