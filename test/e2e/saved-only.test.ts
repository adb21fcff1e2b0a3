import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { configOf, providerOf, workspaceOf } from '../support/directory.ts';
import { saved } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { type WorkspaceOptions, workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const asked = [{ role: 'user', content: 'Hi' }];
/** Every route that takes a body, with a smallest one. */
const routes: readonly (readonly [string, (model: string) => Record<string, unknown>])[] = [
  ['/v1/chat/completions', (model) => ({ model, messages: asked })],
  ['/v1/completions', (model) => ({ model, prompt: 'Hi' })],
  ['/v1/embeddings', (model) => ({ model, input: 'Hi' })],
  ['/v1/messages', (model) => ({ model, max_tokens: 8, messages: asked })],
  ['/v1/messages/count_tokens', (model) => ({ model, messages: asked })],
  ['/v1/responses', (model) => ({ model, input: 'Hi' })],
  ['/v1/proxy/chat/completions', (model) => ({ model, messages: asked })],
];

const signals = new Set(['x-gw-provider', 'x-gw-virtual-key', 'x-gw-config']);

interface Form {
  readonly headers: Record<string, string>;
  readonly model?: string;
  readonly field: string;
}

const inlineConfig = { 'x-gw-config': '{"virtual_key":"p"}' };
const forms: Readonly<Record<string, readonly (readonly [string, Form])[]>> = {
  inline_config_blocked: [['an inline config', { headers: inlineConfig, field: 'x-gw-config' }]],
  inline_provider_blocked: [
    ['a provider by its plain name', { headers: { 'x-gw-provider': 'openai' }, field: 'x-gw-provider' }],
    ['a provider that is not saved', { headers: { 'x-gw-provider': '@openai' }, field: 'x-gw-provider' }],
    ['nothing but an Authorization', { headers: { authorization: 'Bearer own' }, field: 'authorization' }],
    ['nothing but a key in x-api-key', { headers: { 'x-api-key': 'own' }, field: 'x-api-key' }],
  ],
  inline_custom_host_blocked: [
    [
      'a custom host',
      {
        headers: { 'x-gw-virtual-key': 'p', 'x-gw-custom-host': 'https://h.example/v1' },
        field: 'x-gw-custom-host',
      },
    ],
  ],
  inline_forward_headers_blocked: [
    [
      'headers to forward',
      { headers: { 'x-gw-virtual-key': 'p', 'x-gw-forward-headers': 'x-a' }, field: 'x-gw-forward-headers' },
    ],
  ],
};

type Where = 'organisation' | 'workspace' | 'environment, for a workspace' | 'environment, for the file';

async function started(t: TestContext, where: Where, more: Partial<WorkspaceOptions> = {}) {
  const peer = await startPeer(t);
  const host = `${peer.origin}/v1`;
  const block = (there: Where) => ({ blockInlineConfig: where === there });
  const gateway = await workspaceGateway(t, {
    organisation: block('organisation'),
    workspaces: [workspaceOf('a', block('workspace'))],
    providers: [providerOf('a', 'p', { customHost: host })],
    configs: [
      configOf('a', 'pc-p', { virtual_key: 'p' }),
      configOf('a', 'pc-own', { provider: 'openai', api_key: 'own', custom_host: host, forward_headers: ['x-a'] }),
      configOf('a', 'pc-keyless', { provider: 'openai', custom_host: host }),
    ],
    callers: { alice: { workspace: 'a' } },
    fragment: {
      keys: [{ name: 'file', sha256: createHash('sha256').update('pk-file').digest('hex') }],
      providers: { p: saved('openai', host) },
      configs: { 'pc-p': { virtual_key: 'p' } },
      blockInlineConfig: where.startsWith('environment'),
    },
    ...more,
  });
  const key = where === 'environment, for the file' ? 'pk-file' : 'alice';
  return {
    peer,
    post: (path: string, body: Record<string, unknown>, headers: Record<string, string>) =>
      gateway.post(path, JSON.stringify(body), { 'x-gw-api-key': key, ...headers }),
    get: (path: string, headers: Record<string, string>) =>
      gateway.request('GET', path, { headers: { 'x-gw-api-key': key, ...headers } }),
  };
}

function assertBlocked(reply: { status: number; text: string; json: unknown }, code: string, field: string) {
  assert.equal(reply.status, 400, reply.text);
  const { message } = reply.json as { message: string };
  assert.deepEqual(reply.json, { status: 'failure', error: { code, message, field }, message });
  assert.match(message, /Only saved resources/);
}

const places: readonly Where[] = [
  'organisation',
  'workspace',
  'environment, for a workspace',
  'environment, for the file',
];
for (const where of places) {
  describe(`where only saved resources are accepted, by the ${where}`, () => {
    for (const [code, ways] of Object.entries(forms)) {
      for (const [what, { headers, field }] of ways) {
        it(`${what} is refused on every route`, async (t) => {
          const { peer, post, get } = await started(t, where);
          for (const [path, body] of routes) assertBlocked(await post(path, body('m'), headers), code, field);
          assertBlocked(await get('/v1/responses/r1', headers), code, field);
          // Without a sign of a provider the list of models is the gateway's own, and nothing inline is used.
          const models = await get('/v1/models', headers);
          if (Object.keys(headers).some((name) => signals.has(name))) assertBlocked(models, code, field);
          else assert.equal(models.status, 200, models.text);
          assert.equal(peer.requests.length, 0);
        });
      }
    }

    it('a provider in the model that is not saved is refused on every route that reads it', async (t) => {
      const { peer, post } = await started(t, where);
      for (const [path, body] of routes.filter(([path]) => !path.includes('proxy'))) {
        for (const model of ['@openai/m', '@other/m'])
          assertBlocked(await post(path, body(model), {}), 'inline_provider_blocked', 'model');
      }
      assert.equal(peer.requests.length, 0);
    });

    it('saved configs, virtual keys and saved providers are served', async (t) => {
      const { peer, post } = await started(t, where);
      const [path, body] = routes[0] ?? assert.fail();
      const named: readonly [Record<string, string>, string][] = [
        [{ 'x-gw-virtual-key': 'p' }, 'm'],
        [{ 'x-gw-provider': '@p' }, 'm'],
        [{ 'x-gw-config': 'pc-p' }, 'm'],
        [{}, '@p/m'],
        // SDKs send a key in any case.
        [{ 'x-gw-virtual-key': 'p', authorization: 'Bearer dummy' }, 'm'],
      ];
      for (const [headers, model] of named) {
        const reply = await post(path, body(model), headers);
        assert.equal(reply.status, 200, reply.text);
      }
      assert.equal(new Set(peer.requests.map(({ headers }) => headers.authorization)).size, 1);
    });
  });
}

describe('where only saved resources are accepted', () => {
  it('a URL in the path of the proxy is refused', async (t) => {
    const { post } = await started(t, 'workspace');
    for (const path of ['https://h.example/v1', 'http:/h.example', '/h.example']) {
      const reply = await post(`/v1/proxy/${path}`, {}, { 'x-gw-virtual-key': 'p' });
      assertBlocked(reply, 'inline_provider_url_blocked', 'path');
    }
  });

  it('settings of a provider in headers are refused, URLs under their own name', async (t) => {
    const { post } = await started(t, 'workspace', {
      fragment: { pluginFolders: await settingsProvider(t) },
    });
    const [path, body] = routes[0] ?? assert.fail();
    const using = { 'x-gw-virtual-key': 'p' };
    const region = await post(path, body('m'), { ...using, 'x-gw-home-region': 'eu' });
    assertBlocked(region, 'inline_provider_blocked', 'x-gw-home-region');
    const url = await post(path, body('m'), { ...using, 'x-gw-home-url': 'https://h.example' });
    assertBlocked(url, 'inline_provider_url_blocked', 'x-gw-home-url');
  });

  it('the first of several violations is told', async (t) => {
    const { post } = await started(t, 'workspace');
    const all: [string, Record<string, string>, string][] = [
      ['inline_config_blocked', inlineConfig, 'x-gw-config'],
      ['inline_provider_blocked', { 'x-gw-provider': 'openai' }, 'x-gw-provider'],
      ['inline_custom_host_blocked', { 'x-gw-custom-host': 'https://h.example' }, 'x-gw-custom-host'],
      ['inline_provider_url_blocked', {}, 'path'],
      ['inline_forward_headers_blocked', { 'x-gw-forward-headers': 'x-a' }, 'x-gw-forward-headers'],
    ];
    for (const [index, [code, , field]] of all.entries()) {
      const headers = Object.assign({}, ...all.slice(index).map(([, sent]) => sent)) as Record<string, string>;
      const path = index <= 3 ? '/v1/proxy/https://h.example' : '/v1/proxy/chat/completions';
      assertBlocked(
        await post(path, {}, { ...(index > 1 ? { 'x-gw-virtual-key': 'p' } : {}), ...headers }),
        code,
        field,
      );
    }
  });

  it('a saved config may itself hold a provider, its key, a host and headers to forward', async (t) => {
    const { peer, post } = await started(t, 'workspace');
    const [path, body] = routes[0] ?? assert.fail();
    const reply = await post(path, body('m'), { 'x-gw-config': 'pc-own', 'x-a': '1' });
    assert.equal(reply.status, 200, reply.text);
    const { headers } = peer.requests[0] ?? assert.fail();
    assert.deepEqual([headers.authorization, headers['x-a']], ['Bearer own', '1']);
  });

  it('a saved config without a key does not take the one of the caller', async (t) => {
    const { peer, post } = await started(t, 'workspace');
    const [path, body] = routes[0] ?? assert.fail();
    const reply = await post(path, body('m'), { 'x-gw-config': 'pc-keyless', authorization: 'Bearer own' });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(peer.requests.length, 0);
  });

  it('an exhausted provider is told from one that is not saved', async (t) => {
    const { post } = await started(t, 'workspace', { providers: [providerOf('a', 'p', { status: 'exhausted' })] });
    const [path, body] = routes[0] ?? assert.fail();
    assert.equal((await post(path, body('@p/m'), {})).status, 412);
  });

  it('the records of a provider that is not loaded yet are waited for', async (t) => {
    const { post } = await started(t, 'workspace', { cold: true });
    const [path, body] = routes[0] ?? assert.fail();
    assertBlocked(await post(path, body('@other/m'), {}), 'inline_provider_blocked', 'model');
    assert.equal((await post(path, body('@p/m'), {})).status, 200);
  });
});

/** A provider that can be set up by headers, also by a URL. */
async function settingsProvider(t: TestContext) {
  const { mkdir, mkdtemp, rm, writeFile } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-'));
  t.after(() => rm(folder, { recursive: true }));
  const manifest = { name: 'home', kind: 'provider', version: '1.0.0', sdk: '^1.0.0', title: 'Home' };
  const code = `import { provider, schema, setting } from 'portcullis/sdk';
export default provider({
  settings: schema.Object({ homeRegion: schema.Optional(setting({})), homeUrl: schema.Optional(setting({})) }),
  base: 'https://home.example/v1',
  auth: { kind: 'none' },
  endpoints: { chatComplete: { path: '/chat/completions', dialect: 'chat' } },
});`;
  await mkdir(join(folder, 'home'));
  await writeFile(join(folder, 'home', 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'home', 'index.ts'), code);
  return [{ path: folder, trust: 'trusted' as const, requireSignature: false }];
}
