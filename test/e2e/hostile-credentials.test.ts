import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { type ConfigFragment, startGateway } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

/**
 * A provider at the peer that spends the identity of the machine where it may, and keeps it; its files come from wherever its
 * replies say.
 */
async function homeProvider(
  t: TestContext,
  { origin, port }: Peer,
): Promise<NonNullable<ConfigFragment['pluginFolders']>> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-'));
  t.after(() => rm(folder, { recursive: true }));
  const manifest = {
    name: 'home',
    kind: 'provider',
    version: '1.0.0',
    sdk: '^1.0.0',
    title: 'Home',
    permissions: { net: [`127.0.0.1:${port}`], env: ['HOME_KEY'] },
  };
  const code = `import { provider, schema, secret, setting } from 'portcullis/sdk';
export default provider({
  settings: schema.Object({
    apiKey: schema.Optional(secret({ env: 'HOME_KEY' })),
    region: schema.Optional(setting({ pattern: '^[a-z]+$' })),
  }),
  base: '${origin}/v1',
  auth: {
    kind: 'signed',
    headers: async (_, settings, tools) => ({
      authorization: settings.apiKey === undefined ? await tools.cached('t', async () => ({
        value: tools.machine === undefined ? 'Bearer nobody' : 'Bearer machine',
        expiresAtMs: Date.now() + 3_600_000,
      })) : 'Bearer ' + settings.apiKey,
    }),
  },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    retrieveFileContent: {
      method: 'GET',
      path: '/files/{id}',
      flow: async ({ facts }, { send, open }) => {
        const { json } = await send({ method: 'GET', url: '/files/' + encodeURIComponent(facts.params.id) });
        const { body } = await open({ method: 'GET', url: json.url, anonymous: json.signed === true });
        return { status: 200, contentType: 'text/plain', body };
      },
    },
    retrieveFile: {
      method: 'GET',
      path: '/files/{id}',
      dialect: 'files',
      repair: (json) => ({ id: json.name.toUpperCase() }),
    },
    uploadFile: { path: '/files', dialect: 'files', request: (body) => ({ ...body, purpose: body.odd.trim() }) },
    proxy: { path: '' },
  },
});`;
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'home', 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'home', 'index.ts'), code);
  return [{ path: folder, trust: 'trusted', requireSignature: false }];
}

async function world(t: TestContext, fragment: ConfigFragment = {}, key?: string) {
  const peer = await startPeer(t);
  const other = await startPeer(t);
  const gateway = await startGateway(
    t,
    {
      pluginFolders: await homeProvider(t, peer),
      providers: { own: { provider: 'home', models: [], settings: {} } },
      configs: { main: { virtual_key: 'own' } },
      ...fragment,
      server: { machineIdentity: 'operator', ...fragment.server },
    },
    { env: (name) => (name === 'HOME_KEY' ? key : undefined) },
  );
  return { gateway, peer, other };
}

const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
const path = '/v1/chat/completions';
const spent = ({ requests }: Peer) => requests.map(({ headers }) => headers.authorization);

describe('the identity of the machine', () => {
  const operator = { 'x-gw-virtual-key': 'own' };

  it('serves what the operator has saved', async (t) => {
    const { gateway, peer } = await world(t);
    const reply = await gateway.post(path, chat, operator);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(spent(peer), ['Bearer machine']);
  });

  const steering: readonly [string, Readonly<Record<string, string>>][] = [
    ['a config in a header', { 'x-gw-config': JSON.stringify({ provider: 'home' }) }],
    ['the name of the provider alone', { 'x-gw-provider': 'home' }],
    ['a setting in a config of the request', { 'x-gw-config': JSON.stringify({ virtual_key: 'own', region: 'eu' }) }],
    ['a setting in a header', { 'x-gw-virtual-key': 'own', 'x-gw-region': 'eu' }],
  ];
  for (const [what, headers] of steering)
    it(`is not spent for ${what}, not even where it is kept already`, async (t) => {
      const { gateway, peer, other } = await world(t);
      await gateway.post(path, chat, operator);
      await gateway.post(path, chat, headers);
      assert.deepEqual(spent(peer), ['Bearer machine', 'Bearer nobody']);
      assert.equal(other.requests.length, 0);
    });

  it('serves whoever names what the operator has saved', async (t) => {
    const { gateway, peer } = await world(t);
    for (const headers of [
      { 'x-gw-provider': '@own' },
      { 'x-gw-config': '{"virtual_key":"own"}' },
      { 'x-gw-config': 'main' },
    ])
      await gateway.post(path, chat, headers);
    assert.deepEqual(spent(peer), ['Bearer machine', 'Bearer machine', 'Bearer machine']);
  });

  it('does not follow a custom host, not even where it is kept already', async (t) => {
    const { gateway, peer, other } = await world(t);
    await gateway.post(path, chat, operator);
    await gateway.post(path, chat, { ...operator, 'x-gw-custom-host': `${other.origin}/v1` });
    const config = JSON.stringify({ provider: 'home', custom_host: `${other.origin}/v1` });
    await gateway.post(path, chat, { 'x-gw-config': config });
    assert.deepEqual(spent(peer), ['Bearer machine']);
    assert.deepEqual(spent(other), ['Bearer nobody', 'Bearer nobody']);
  });

  it('is nobody’s where it is switched off', async (t) => {
    const { gateway, peer } = await world(t, { server: { machineIdentity: 'off' } });
    await gateway.post(path, chat, operator);
    assert.deepEqual(spent(peer), ['Bearer nobody']);
  });
});

describe('a place that a reply names', () => {
  const headers = { 'x-gw-provider': 'home' };

  it('gets no credential where it is none of the provider', async (t) => {
    const { gateway, peer, other } = await world(t, {}, 'env-key');
    for (const url of [
      `${other.origin}/stolen`,
      'http://169.254.169.254/latest/meta-data',
      'http://localhost:1/',
      'x',
    ]) {
      peer.always({ body: { url } });
      const reply = await gateway.request('GET', '/v1/files/a/content', { headers });
      assert.equal(reply.status, 502, `${url}: ${reply.text}`);
    }
    assert.equal(other.requests.length, 0);
  });

  it('is judged by the guard although nothing goes along', async (t) => {
    const { gateway, peer } = await world(t, {}, 'env-key');
    for (const url of [
      'http://169.254.169.254/latest/meta-data',
      'http://10.0.0.1/',
      'http://metadata.google.internal/',
    ]) {
      peer.always({ body: { url, signed: true } });
      const reply = await gateway.request('GET', '/v1/files/a/content', { headers });
      assert.equal(reply.json.error && (reply.json.error as JsonObject).code, 'url_blocked', `${url}: ${reply.text}`);
    }
  });

  it('gets nothing of the client or its provider when it is signed', async (t) => {
    const { gateway, peer, other } = await world(t, {}, 'env-key');
    other.always({ body: 'content', headers: { 'content-type': 'text/plain' } });
    peer.always({ body: { url: `${other.origin}/signed?x=1`, signed: true } });
    const config = JSON.stringify({ provider: 'home', forward_headers: ['x-mine'] });
    const reply = await gateway.request('GET', '/v1/files/a/content', {
      headers: { 'x-gw-config': config, 'x-mine': 'mine', authorization: 'Bearer caller' },
    });
    assert.equal(reply.text, 'content');
    const told = JSON.stringify(other.requests[0]?.headers);
    assert.doesNotMatch(told, /env-key|caller|mine/);
    assert.equal(other.requests[0]?.url, '/signed?x=1');
  });
});

describe('a unit that fails', () => {
  const headers = { 'x-gw-provider': 'home' };

  it('at a reply is the fault of the provider, and is logged without what it held', async (t) => {
    const { gateway, peer } = await world(t, {}, 'k');
    peer.always({ body: { name: { secret: 'reply' } } });
    const reply = await gateway.request('GET', '/v1/files/a', { headers });
    assert.equal(reply.status, 502, reply.text);
    assert.equal((reply.json.error as JsonObject).code, 'upstream_invalid');
    const { fields } = await gateway.logged(({ event }) => event === 'provider_unit_failed');
    assert.match(String(fields.at), /^TypeError at .*index\.ts/);
    assert.doesNotMatch(JSON.stringify(gateway.log), /secret.{0,5}reply/);
  });

  it('at an error of the provider is one, too', async (t) => {
    const { gateway, peer } = await world(t, {}, 'k');
    peer.always({ status: 404, body: { detail: 'none' } });
    const reply = await gateway.request('GET', '/v1/files/a', { headers });
    assert.equal(reply.status, 502, reply.text);
  });

  it('at a request is the fault of the request', async (t) => {
    const { gateway, peer } = await world(t, {}, 'k');
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob(['x']), 'a');
    const response = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
    assert.equal(response.status, 400, await response.text());
    assert.equal(peer.requests.length, 0);
  });
});
