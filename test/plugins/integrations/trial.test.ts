import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from 'portcullis/sdk';
import { startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { type Peer, startPeer } from '../../support/peer.ts';
import { caller } from './plane.ts';

const good = 'sk-the-right-key-0001';
const wrong = 'sk-a-wrong-key-0002';
const list = { object: 'list', data: [{ id: 'gpt-4o', object: 'model', owned_by: 'openai' }] };
const vector = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], model: 'v', usage: {} };

let control: TestControl;
let peer: Peer;
let workspace: string;
/** Ends when the gateway is to give a trial up. */
let patience: Promise<unknown> = new Promise(() => {});
let address = '8.8.8.8';
const closing: (() => unknown)[] = [];

before(async () => {
  const t = { after: (close: unknown) => void closing.push(close as () => unknown) };
  peer = await startPeer(t);
  peer.always(({ headers, url }) => {
    if (url.startsWith('/v1/secret/')) return { body: { data: { data: { api_key: good }, metadata: { version: 1 } } } };
    const sent = String(headers.authorization);
    if (sent !== `Bearer ${good}`)
      return { status: 401, body: { error: { message: `Incorrect key: ${sent}`, code: 'invalid_api_key' } } };
    if (url.endsWith('/models')) return { body: list };
    return url.endsWith('/embeddings') ? { body: vector } : {};
  });
  control = await startControl(t, {
    plugins: ['audit-log', 'tenancy', 'integrations', 'configs', 'secret-references'],
    overrides: {
      sleep: async (ms, signal) => {
        await (ms === 30_000 ? patience : delay(ms, undefined, signal === undefined ? {} : { signal }));
      },
      resolve: async () => [{ address, family: 4 }],
    },
  });
  workspace = String((await control.ok('POST', '/v1/workspaces', { body: { name: 'Team', slug: 'team' } })).id);
});
after(async () => {
  for (const close of closing.toReversed()) await close();
});

const made = async (more: JsonObject = {}): Promise<string> => {
  const body = {
    ...{ name: 'T', ai_provider_id: 'openai', key: good, configurations: { custom_host: `${peer.origin}/v1` } },
    ...more,
  };
  return String((await control.ok('POST', '/v1/integrations', { body })).slug);
};
const post = (slug: string, body?: JsonObject, as?: TestCaller) =>
  control.call('POST', `/v1/integrations/${slug}/test`, {
    ...(body === undefined ? {} : { body }),
    ...(as === undefined ? {} : { as }),
  });
const tried = async (slug: string, body?: JsonObject) => {
  const reply = await post(slug, body);
  assert.equal(reply.status, 200, reply.text);
  const { latency_ms, ...rest } = reply.json;
  assert.ok(Number.isInteger(latency_ms), 'latency_ms is a whole number');
  return rest as JsonObject & {
    readonly error: { readonly message: string; readonly code: string };
    readonly note: string | null;
  };
};
const last = () => peer.requests.at(-1);
const passed = {
  object: 'integration_test',
  success: true,
  status: 200,
  model: null,
  endpoint: 'listModels',
  error: null,
  note: 'The list of models was given. A provider that shows its list to everyone need not have looked at the key: give a model to have it tried.',
};

describe('the test of an integration', () => {
  it('asks for the list of models with the saved key, and says that it is taken', async () => {
    assert.deepEqual(await tried(await made()), passed);
    assert.equal(last()?.url, '/v1/models');
  });

  it('sends the headers of the integration', async () => {
    const configurations = { custom_host: `${peer.origin}/v1`, custom_headers: { 'x-team': 'blue' } };
    assert.equal((await tried(await made({ configurations }))).success, true);
    assert.equal(last()?.headers['x-team'], 'blue');
  });

  it('says what the provider says of a wrong key, without the key', async () => {
    const { error, ...rest } = await tried(await made({ key: wrong }));
    assert.deepEqual(rest, {
      object: 'integration_test',
      success: false,
      status: 401,
      model: null,
      endpoint: 'listModels',
      note: null,
    });
    assert.equal(error.code, 'invalid_api_key');
    assert.match(error.message, /openai error: Incorrect key: Bearer \*{4}/);
    assert.ok(!JSON.stringify(error).includes(wrong));
  });

  it('says that there is no key where none is saved', async () => {
    const { success, status, error } = await tried(await made({ key: null }));
    assert.deepEqual([success, status, error.code], [false, null, 'missing_credentials']);
  });

  it('asks the given model for a few tokens, by chat', async () => {
    const { success, model, endpoint, note } = await tried(await made(), { model: 'gpt-4o' });
    assert.deepEqual([success, model, endpoint, note], [true, 'gpt-4o', 'chatComplete', null]);
    assert.deepEqual([last()?.url, last()?.body.model], ['/v1/chat/completions', 'gpt-4o']);
    assert.equal(last()?.body.max_completion_tokens, 16);
  });

  it('says how to try a key where a list that everyone is shown took a wrong one', async () => {
    const slug = await made({ key: wrong });
    peer.next({ body: list });
    assert.deepEqual(await tried(slug), passed);
    const { success, status, note } = await tried(slug, { model: 'gpt-4o' });
    assert.deepEqual([success, status, note], [false, 401, null]);
  });

  it('refuses a model that the integration does not serve', async () => {
    const slug = await made();
    await control.ok('PUT', `/v1/integrations/${slug}/models`, {
      body: { allow_all_models: false, models: [{ slug: 'gpt-4o', enabled: true }] },
    });
    const { status, json } = await post(slug, { model: 'gpt-5' });
    assert.deepEqual([status, (json.error as JsonObject).param], [400, 'model']);
  });

  it('asks the first enabled model of a provider without a list of models', async () => {
    const slug = await made({ ai_provider_id: 'ai21', configurations: { custom_host: peer.origin } });
    const models = [
      { slug: 'a-disabled', enabled: false },
      { slug: 'jamba-large', enabled: true },
    ];
    await control.ok('PUT', `/v1/integrations/${slug}/models`, { body: { models } });
    const { success, model, endpoint } = await tried(slug);
    assert.deepEqual([success, model, endpoint], [true, 'jamba-large', 'chatComplete']);
    assert.equal(last()?.body.model, 'jamba-large');
  });

  it('asks for an embedding where the provider has no chat', async () => {
    const slug = await made({ ai_provider_id: 'voyage', configurations: { custom_host: peer.origin } });
    const { success, endpoint } = await tried(slug, { model: 'voyage-4' });
    assert.deepEqual([success, endpoint, last()?.url], [true, 'embed', '/embeddings']);
  });

  for (const [why, ai_provider_id, body] of [
    ['without a list and without a model', 'ai21', undefined],
    ['that has neither chat nor embeddings', 'cartesia', { model: 'sonic-3' }],
  ] as const)
    it(`names the model where there is nothing to ask of a provider ${why}`, async () => {
      const asked = peer.requests.length;
      const { status, json } = await post(await made({ ai_provider_id, configurations: null }), body);
      assert.deepEqual([status, (json.error as JsonObject).param], [400, 'model']);
      assert.equal(peer.requests.length, asked);
    });

  it('tries a key that is not saved in place of the saved one, and keeps nothing of it', async () => {
    const slug = await made({ key: wrong });
    assert.deepEqual(await tried(slug, { key: good }), passed);
    assert.equal((await tried(slug)).status, 401);
  });

  it('tries configurations that are not saved, as an update would take them', async () => {
    const slug = await made({ configurations: { custom_host: `${peer.origin}/elsewhere` } });
    const configurations = { custom_host: `${peer.origin}/v1` };
    assert.deepEqual(await tried(slug, { key: good, configurations }), passed);
    assert.equal(last()?.url, '/v1/models');
    // Whoever may try another host must not learn the saved key that way.
    const moved = await post(slug, { configurations });
    assert.deepEqual([moved.status, (moved.json.error as JsonObject).param], [400, 'key']);
    const unknown = await post(slug, { configurations: { nothing: 'x' } });
    assert.deepEqual([unknown.status, (unknown.json.error as JsonObject).param], [400, 'configurations.nothing']);
  });

  it('ends after 30 seconds without an answer', async () => {
    const slug = await made();
    peer.next({ before: 'never' });
    const request = peer.request(peer.requests.length);
    patience = request;
    const { success, status, error } = await tried(slug);
    patience = new Promise(() => {});
    assert.deepEqual([success, status, error.code], [false, null, 'request_timeout']);
    await (await request).abandoned;
  });

  it('takes a page in the place of the list for a failure', async () => {
    const slug = await made();
    peer.next({ body: '<html>Sign in</html>' });
    const { success, error } = await tried(slug);
    assert.deepEqual([success, error.code], [false, 'upstream_invalid']);
  });

  it('follows no redirect', async () => {
    const slug = await made();
    peer.next({ status: 307, headers: { location: `${peer.origin}/v1/models` }, body: '' });
    const asked = peer.requests.length;
    assert.match((await tried(slug)).error.message, /redirect \(status 307\), which is not followed/);
    assert.equal(peer.requests.length, asked + 1);
  });

  it('does not call a host that has moved to a place that the gateway does not call', async () => {
    const slug = await made({ configurations: { custom_host: 'https://moves.example.com/v1' } });
    address = '10.0.0.1';
    const { success, status, error } = await tried(slug);
    address = '8.8.8.8';
    assert.deepEqual([success, status, error.code], [false, null, 'url_blocked']);
  });

  it('reads the key from the secret manager, as the first workspace that uses the integration', async () => {
    const auth_config = { vault_auth_type: 'token', vault_addr: peer.origin, vault_token: 'token-of-the-vault' };
    const reference = {
      ...{ name: 'Key', slug: 'the-key', manager_type: 'hashicorp_vault', auth_config },
      ...{ secret_path: 'secret/data/x', secret_key: 'api_key', allow_all_workspaces: false },
      allowed_workspaces: ['team'],
    };
    await control.ok('POST', '/v1/secret-references', { body: reference });
    const secret_mappings = [{ target_field: 'key', secret_reference_id: 'the-key' }];
    const slug = await made({ key: null, secret_mappings });
    assert.equal((await tried(slug)).error.code, 'secret_unavailable');
    await control.ok('PUT', `/v1/integrations/${slug}/workspaces`, {
      body: { workspaces: [{ id: workspace, enabled: true }] },
    });
    assert.deepEqual(await tried(slug), passed);
    assert.equal((await tried(slug, { key: wrong })).status, 401);
    // A key of the caller's own may be tried anywhere; what the reference holds does not come along.
    const elsewhere = { configurations: { custom_host: `${peer.origin}/elsewhere/v1` } };
    const as = caller(['organisation_integrations.update']);
    assert.equal((await post(slug, { ...elsewhere, key: wrong }, as)).json.status, 401);
    assert.equal((await post(slug, elsewhere, as)).status, 403);
  });

  it('is for whoever may update the integration', async () => {
    const slug = await made();
    const own = await made({ workspace_id: 'team' });
    const inWorkspace = caller(['workspace_integrations.update'], workspace);
    for (const [name, as, status] of [
      [slug, caller(['organisation_integrations.update']), 200],
      [slug, caller(['organisation_integrations.read']), 403],
      [slug, inWorkspace, 404],
      [slug, { ...inWorkspace, scopes: ['organisation_integrations.update'] }, 404],
      [own, inWorkspace, 200],
      [own, caller(['workspace_integrations.read'], workspace), 403],
      [slug, caller(['organisation_integrations.update'], undefined, 'another-organisation'), 404],
      ['nowhere', caller(['organisation_integrations.update']), 404],
    ] as const) {
      const changed = await control.call('PUT', `/v1/integrations/${name}`, { body: {}, as });
      const statuses = [(await post(name, undefined, as)).status, changed.status];
      assert.deepEqual(statuses, [status, status], `${name} ${JSON.stringify(as)}`);
    }
  });

  it('is answered by a control plane that serves no requests to models', async (t) => {
    const plugins = ['audit-log', 'tenancy', 'integrations'];
    const apart = await startControl(t, { plugins, settings: { inference: false } });
    const { slug } = await apart.ok('POST', '/v1/integrations', { body: { name: 'E', ai_provider_id: 'echo' } });
    const { success, endpoint } = await apart.ok('POST', `/v1/integrations/${slug}/test`);
    assert.deepEqual([success, endpoint], [true, 'listModels']);
  });

  it('leaves an entry in the audit log without what was tried', async () => {
    const slug = await made();
    await tried(slug, { key: wrong, configurations: { custom_headers: { 'x-token': wrong } } });
    const rows = await control.gateway.control?.store.db('audit_logs').where({ action: 'test' }).select();
    assert.ok(rows !== undefined && rows.length > 0);
    assert.ok(!JSON.stringify(rows).includes(wrong));
    assert.ok(!JSON.stringify(control.log).includes(wrong));
  });
});
