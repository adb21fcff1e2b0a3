import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { clientError } from '../support/client-dialects.ts';
import { type ConfigFragment, saved, startGateway } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
const path = '/v1/chat/completions';
const gatewayKey = 'pk-gateway';
const keys = [{ name: 'k', sha256: createHash('sha256').update(gatewayKey).digest('hex') }];
const env = (name: string) => (name === 'OPENAI_API_KEY' || name === 'HOME_API_KEY' ? 'env-key' : undefined);

/** A provider whose own base is the peer: what `api.example.com` is to a real one. */
async function homeProvider(t: TestContext, { origin, port }: Peer): Promise<ConfigFragment['pluginFolders']> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-'));
  t.after(() => rm(folder, { recursive: true }));
  const manifest = {
    name: 'home',
    kind: 'provider',
    version: '1.0.0',
    sdk: '^1.0.0',
    title: 'Home',
    permissions: { net: [`127.0.0.1:${port}`], env: ['HOME_API_KEY'] },
  };
  const code = `import { provider, schema, secret, setting } from 'portcullis/sdk';
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'HOME_API_KEY' }),
    region: schema.Optional(setting({ pattern: '^[a-z0-9.:]+$' })),
  }),
  base: (settings) => settings.region === undefined ? '${origin}/v1' : \`http://\${settings.region}/v1\`,
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: { chatComplete: { path: '/chat/completions', dialect: 'chat' }, proxy: { path: '' } },
});`;
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'home', 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'home', 'index.ts'), code);
  return [{ path: folder, trust: 'trusted', requireSignature: false }];
}

const sentKeys = ({ requests }: Peer) => requests.map(({ headers }) => headers.authorization);

describe('the four combinations of credentials', () => {
  it('serve a gateway key with a virtual key', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { keys, providers: { team: saved('openai', `${peer.origin}/v1`) } });
    const reply = await gateway.post(path, chat, { 'x-gw-api-key': gatewayKey, 'x-gw-virtual-key': 'team' });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(sentKeys(peer), ['Bearer operator-key']);
  });

  it('serve a gateway key with the authorisation and name of a provider', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { keys, pluginFolders: (await homeProvider(t, peer)) ?? [] });
    const reply = await gateway.post(path, chat, {
      'x-gw-api-key': gatewayKey,
      authorization: 'Bearer own-key',
      'x-gw-provider': 'home',
    });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(sentKeys(peer), ['Bearer own-key']);
  });

  it('serve a gateway key with a config reference', async (t) => {
    const peer = await startPeer(t);
    const configs = { routed: { provider: 'openai', api_key: 'config-key', custom_host: `${peer.origin}/v1` } };
    const gateway = await startGateway(t, { keys, configs });
    const reply = await gateway.post(path, chat, { 'x-gw-api-key': gatewayKey, 'x-gw-config': 'routed' });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(sentKeys(peer), ['Bearer config-key']);
  });

  it('serve a gateway key with the authorisation, name and custom host of a provider', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { keys });
    const reply = await gateway.post(path, chat, {
      'x-gw-api-key': gatewayKey,
      authorization: 'Bearer own-key',
      'x-gw-provider': 'openai',
      'x-gw-custom-host': `${peer.origin}/v1`,
    });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(sentKeys(peer), ['Bearer own-key']);
  });

  it("serve an open gateway with the environment's key, unless the caller brings one", async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { pluginFolders: (await homeProvider(t, peer)) ?? [] }, { env });
    await gateway.post(path, chat, { 'x-gw-provider': 'home' });
    await gateway.post(path, chat, { 'x-gw-provider': 'home', authorization: 'Bearer own-key' });
    assert.deepEqual(sentKeys(peer), ['Bearer env-key', 'Bearer own-key']);
  });
});

describe('the key of the gateway', () => {
  for (const [what, headers] of [
    ['in its own header and as a bearer token', { 'x-gw-api-key': gatewayKey, authorization: `Bearer ${gatewayKey}` }],
    [
      'in its own header and those of SDKs',
      { 'x-gw-api-key': gatewayKey, 'api-key': gatewayKey, 'x-api-key': gatewayKey },
    ],
    [
      'as a bearer token and in the header of an SDK',
      { authorization: `bearer ${gatewayKey}`, 'x-api-key': gatewayKey },
    ],
  ] as const) {
    for (const route of [path, '/v1/proxy/chat/completions']) {
      it(`is no key of a provider where it comes ${what}, on ${route}`, async (t) => {
        const peer = await startPeer(t);
        const gateway = await startGateway(t, { keys, pluginFolders: (await homeProvider(t, peer)) ?? [] }, { env });
        await gateway.post(route, chat, { ...headers, 'x-gw-provider': 'home' });
        assert.deepEqual(sentKeys(peer), ['Bearer env-key']);
        assert.ok(!JSON.stringify(peer.requests[0]?.headers).includes(gatewayKey));
      });
    }
  }
});

describe('the key of a provider', () => {
  it('is taken from the header of any SDK beside the key of the gateway, also where two hold it', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { keys, pluginFolders: (await homeProvider(t, peer)) ?? [] });
    const asked = { 'x-gw-api-key': gatewayKey, 'x-gw-provider': 'home' };
    await gateway.post(path, chat, { ...asked, 'x-goog-api-key': 'own-key' });
    await gateway.post(path, chat, { ...asked, 'x-goog-api-key': 'own-key', authorization: 'Bearer own-key' });
    await gateway.post(path, chat, { ...asked, 'api-key': 'own-key', 'x-api-key': gatewayKey });
    assert.deepEqual(sentKeys(peer), Array(3).fill('Bearer own-key'));
  });
});

describe("the operator's key", () => {
  const providers = (peer: Peer) => ({ team: saved('openai', `${peer.origin}/v1`) });

  /** Each way in which a caller may name another host than the operator's. */
  const attacks: readonly (readonly [
    name: string,
    headers: (host: string) => Readonly<Record<string, string>>,
    secret: string,
  ])[] = [
    ['a custom host beside a provider', (host) => ({ 'x-gw-provider': 'openai', 'x-gw-custom-host': host }), 'env-key'],
    [
      'a custom host beside a virtual key',
      (host) => ({ 'x-gw-virtual-key': 'team', 'x-gw-custom-host': host }),
      'operator-key',
    ],
    [
      'a custom host beside a saved provider',
      (host) => ({ 'x-gw-provider': '@team', 'x-gw-custom-host': host }),
      'operator-key',
    ],
    [
      'a custom host beside a saved config',
      (host) => ({ 'x-gw-config': 'routed', 'x-gw-custom-host': host }),
      'config-key',
    ],
    [
      'an inline config with a provider',
      (host) => ({ 'x-gw-config': JSON.stringify({ provider: 'openai', custom_host: host }) }),
      'env-key',
    ],
    [
      'an inline config with a virtual key',
      (host) => ({ 'x-gw-config': JSON.stringify({ virtual_key: 'team', custom_host: host }) }),
      'operator-key',
    ],
    [
      'an inline config that hands its host down',
      (host) => ({
        'x-gw-config': JSON.stringify({
          strategy: { mode: 'fallback' },
          custom_host: host,
          targets: [{ virtual_key: 'team' }, { provider: 'openai' }],
        }),
      }),
      'operator-key',
    ],
    [
      'a header that becomes part of the URL',
      (host) => ({ 'x-gw-provider': 'home', 'x-gw-region': new URL(host).host }),
      'env-key',
    ],
    [
      'a config field that becomes part of the URL',
      (host) => ({ 'x-gw-config': JSON.stringify({ provider: 'home', region: new URL(host).host }) }),
      'env-key',
    ],
  ];

  for (const [name, headers, secret] of attacks) {
    for (const route of [path, '/v1/proxy/chat/completions']) {
      it(`never reaches a caller's host through ${name}, on ${route}`, async (t) => {
        const [own, foreign] = [await startPeer(t), await startPeer(t)];
        const gateway = await startGateway(
          t,
          {
            pluginFolders: (await homeProvider(t, own)) ?? [],
            providers: providers(own),
            configs: { routed: { provider: 'openai', api_key: 'config-key', custom_host: `${own.origin}/v1` } },
          },
          { env },
        );
        const reply = await gateway.post(route, chat, headers(`${foreign.origin}/v1`));
        assert.equal(reply.status, 400, reply.text);
        assert.equal(clientError('chat', reply).code, 'missing_credentials');
        assert.deepEqual([own.requests.length, foreign.requests.length], [0, 0]);
        assert.doesNotMatch(reply.text + JSON.stringify(gateway.log), new RegExp(secret));
      });
    }
  }

  it("gives way to the caller's own on the caller's host", async (t) => {
    const foreign = await startPeer(t);
    const gateway = await startGateway(t, {}, { env });
    const host = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${foreign.origin}/v1` };
    await gateway.post(path, chat, { ...host, authorization: 'Bearer own-key' });
    await gateway.post(path, chat, {
      'x-gw-config': JSON.stringify({ provider: 'openai', custom_host: `${foreign.origin}/v1`, api_key: 'inline-key' }),
    });
    assert.deepEqual(sentKeys(foreign), ['Bearer own-key', 'Bearer inline-key']);
  });

  it("is used where the caller names the operator's own host", async (t) => {
    const own = await startPeer(t);
    const gateway = await startGateway(t, { providers: providers(own) });
    const reply = await gateway.post(path, chat, {
      'x-gw-virtual-key': 'team',
      'x-gw-custom-host': `${own.origin}/v1`,
    });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(sentKeys(own), ['Bearer operator-key']);
  });

  it('of the environment does not fill the gap of a saved provider', async (t) => {
    const own = await startPeer(t);
    const fragment = { providers: { bare: saved('openai', `${own.origin}/v1`, {}) } };
    const started = await startGateway(t, fragment, { env }).catch((error: unknown) => error as Error);
    if (started instanceof Error) {
      assert.match(started.message, /api_key/);
    } else {
      assert.equal((await started.post(path, chat, { 'x-gw-virtual-key': 'bare' })).status, 400);
    }
    assert.equal(own.requests.length, 0);
  });

  it('of the caller is not shown to the several targets of a strategy', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ status: 500 });
    const target = ({ origin }: Peer): JsonObject => ({
      provider: 'openai',
      api_key: 'target-key',
      custom_host: `${origin}/v1`,
    });
    const gateway = await startGateway(t, {
      configs: { main: { strategy: { mode: 'fallback' }, targets: [target(first), target(second)] } },
      defaultConfig: 'main',
    });
    await gateway.post(path, chat, { authorization: 'Bearer own-key' });
    assert.deepEqual([...sentKeys(first), ...sentKeys(second)], ['Bearer target-key', 'Bearer target-key']);
  });
});

describe('a saved provider', () => {
  for (const [name, headers, model] of [
    ['virtual key header', { 'x-gw-virtual-key': 'team' }, 'm'],
    ['provider header', { 'x-gw-provider': '@team' }, 'm'],
    ['model', {}, '@team/m'],
    ['inline config', { 'x-gw-config': '{"virtual_key":"team"}' }, 'm'],
    [
      'passthrough config and provider header',
      { 'x-gw-config': '{"passthrough":true}', 'x-gw-provider': '@team' },
      'm',
    ],
    ['passthrough config and model', { 'x-gw-config': '{"passthrough":true}' }, '@team/m'],
  ] as const) {
    it(`is chosen by its ${name}, and sees its own model name`, async (t) => {
      const peer = await startPeer(t);
      const gateway = await startGateway(t, { providers: { team: saved('openai', `${peer.origin}/v1`) } });
      const reply = await gateway.post(path, { ...chat, model }, { ...headers });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(sentKeys(peer), ['Bearer operator-key']);
      assert.deepEqual(peer.requests[0]?.body, chat);
    });
  }

  it('serves the models on its list and no other', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, {
      providers: { team: saved('openai', `${peer.origin}/v1`, { api_key: 'k' }, ['gpt-5']) },
    });
    assert.equal((await gateway.post(path, { ...chat, model: '@team/gpt-5' })).status, 200);
    const refused = await gateway.post(path, { ...chat, model: '@team/gpt-4' });
    assert.equal(refused.status, 400);
    assert.match(clientError('chat', refused).message, /gpt-5/);
    assert.equal(peer.requests.length, 1);
  });

  it('must be named by a request that has only a passthrough config', async (t) => {
    const gateway = await startGateway(t, { providers: { team: saved('openai', 'https://api.example.com/v1') } });
    const reply = await gateway.post(path, chat, { 'x-gw-config': '{"passthrough":true}' });
    assert.equal(reply.status, 400);
    assert.match(clientError('chat', reply).message, /passthrough/);
  });
});
