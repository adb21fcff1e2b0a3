import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Access, JsonObject, Manifest, Principal, Resolution } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import requestConfig from '../../plugins/request-config/index.ts';
import requestConfigManifest from '../../plugins/request-config/plugin.json' with { type: 'json' };
import { configOf, recordsOf, workspaceOf } from '../support/directory.ts';
import { exchangeOf } from '../support/exchange.ts';

const configs: Readonly<Record<string, JsonObject>> = {
  main: { provider: 'alpha', api_key: 'k' },
  patience: { retry: { attempts: 2 } },
  fallback: { strategy: { mode: 'fallback' }, targets: [{ provider: 'alpha' }, { provider: 'beta' }] },
};

async function resolver(defaultConfig?: string) {
  const hooks = await requestConfig.setup({}, createTestHost({ file: { configs, defaultConfig } }));
  return (headers: Record<string, string>, options: { model?: string; keyConfig?: string } = {}): Resolution => {
    const exchange = exchangeOf({ headers, body: { model: options.model ?? 'm' } });
    exchange.principal = {
      id: 'p',
      kind: 'key',
      ...(options.keyConfig === undefined ? {} : { config: options.keyConfig }),
    };
    const resolution = hooks.resolve?.(exchange);
    assert.ok(resolution !== undefined && !(resolution instanceof Promise));
    return resolution;
  };
}

describe('the config of a request', () => {
  const inline = '{"provider":"beta","api_key":"caller"}';
  const table: readonly [
    string,
    Record<string, string>,
    { model?: string; keyConfig?: string },
    string | undefined,
    Resolution,
  ][] = [
    ['is nothing where nothing names one', {}, {}, undefined, {}],
    ['is the default where nothing else names one', {}, {}, 'main', { config: 'main' }],
    ["is the key's before the default", {}, { keyConfig: 'fallback' }, 'main', { config: 'fallback' }],
    [
      "is the header's before the key's",
      { 'x-gw-config': 'patience' },
      { keyConfig: 'fallback' },
      'main',
      { config: 'patience' },
    ],
    [
      'is inline JSON, which is the caller’s',
      { 'x-gw-config': inline },
      {},
      'main',
      { config: { provider: 'beta', api_key: 'caller' }, inline: true },
    ],
    [
      'is the provider header, which is the caller’s too',
      { 'x-gw-provider': 'beta' },
      { keyConfig: 'main' },
      'main',
      { config: { provider: 'beta' }, inline: true },
    ],
    [
      'is the virtual key',
      { 'x-gw-virtual-key': 'team' },
      {},
      'main',
      { config: { virtual_key: 'team' }, inline: true },
    ],
    [
      'is the provider that the model names, before the default',
      {},
      { model: '@team/gpt' },
      'main',
      { config: { provider: '@team' }, inline: true },
    ],
    [
      'keeps to the key’s config where the model names a provider',
      {},
      { model: '@team/gpt', keyConfig: 'main' },
      undefined,
      { config: 'main' },
    ],
    [
      'gives a saved config without provider the one of the header',
      { 'x-gw-config': 'patience', 'x-gw-provider': 'beta' },
      {},
      undefined,
      { config: 'patience', overrides: { provider: 'beta' } },
    ],
    [
      'leaves a saved config its own provider',
      { 'x-gw-config': 'main', 'x-gw-provider': 'beta' },
      {},
      undefined,
      { config: 'main' },
    ],
    [
      'leaves a saved config its targets',
      { 'x-gw-config': 'fallback', 'x-gw-virtual-key': 'team' },
      {},
      undefined,
      { config: 'fallback' },
    ],
    [
      'gives a passthrough config the provider of the header',
      { 'x-gw-config': '{"passthrough":true}', 'x-gw-provider': '@team' },
      {},
      undefined,
      { config: { passthrough: true }, inline: true, overrides: { provider: '@team' } },
    ],
    [
      'takes a custom host over any config',
      { 'x-gw-config': 'main', 'x-gw-custom-host': 'https://h.example/v1' },
      {},
      undefined,
      { config: 'main', overrides: { custom_host: 'https://h.example/v1' } },
    ],
    [
      'takes a timeout',
      { 'x-gw-config': 'main', 'x-gw-request-timeout': '250' },
      {},
      undefined,
      { config: 'main', overrides: { request_timeout: 250 } },
    ],
    [
      'takes the headers to forward',
      { 'x-gw-config': 'main', 'x-gw-forward-headers': ' X-One, x-two ,' },
      {},
      undefined,
      { config: 'main', overrides: { forward_headers: ['x-one', 'x-two'] } },
    ],
    [
      'passes on a name that nobody saved, to be refused by name',
      { 'x-gw-config': 'toString' },
      {},
      undefined,
      { config: 'toString' },
    ],
  ];
  for (const [name, headers, options, defaultConfig, expected] of table) {
    it(name, async () => assert.deepEqual((await resolver(defaultConfig))(headers, options), expected));
  }

  it('is the same object for equal requests, so that its plan is compiled once', async () => {
    const resolve = await resolver();
    assert.equal(
      resolve({ 'x-gw-config': inline }, { model: 'a' }),
      resolve({ 'x-gw-config': inline }, { model: 'b' }),
    );
  });

  const differing: readonly [string, Record<string, string>, { model?: string; keyConfig?: string }][] = [
    ['the config', { 'x-gw-config': 'main' }, {}],
    ['the provider', { 'x-gw-provider': 'alpha' }, {}],
    ['the virtual key', { 'x-gw-virtual-key': 'alpha' }, {}],
    ['the custom host', { 'x-gw-provider': 'alpha', 'x-gw-custom-host': 'https://h.example' }, {}],
    ['the timeout', { 'x-gw-provider': 'alpha', 'x-gw-request-timeout': '5' }, {}],
    ['the forwarded headers', { 'x-gw-provider': 'alpha', 'x-gw-forward-headers': 'x-a' }, {}],
    ['the key’s config', {}, { keyConfig: 'main' }],
    ['the provider in the model', {}, { model: '@alpha/m' }],
  ];
  it('is never shared by requests that differ in what it depends on', async () => {
    const resolve = await resolver();
    const made = differing.map(([, headers, options]) => resolve(headers, options));
    assert.equal(new Set(made).size, made.length);
  });

  const refused: readonly [string, Record<string, string>, string][] = [
    ['broken JSON', { 'x-gw-config': '{"provider":' }, 'x-gw-config'],
    ['a timeout that is no number', { 'x-gw-provider': 'a', 'x-gw-request-timeout': 'soon' }, 'x-gw-request-timeout'],
    ['a timeout of zero', { 'x-gw-provider': 'a', 'x-gw-request-timeout': '0' }, 'x-gw-request-timeout'],
    ['half a millisecond', { 'x-gw-provider': 'a', 'x-gw-request-timeout': '0.5' }, 'x-gw-request-timeout'],
    [
      'a timeout that a timer cannot keep',
      { 'x-gw-provider': 'a', 'x-gw-request-timeout': '2147483648' },
      'x-gw-request-timeout',
    ],
    [
      'a forward-headers header that names itself',
      { 'x-gw-provider': 'a', 'x-gw-forward-headers': 'x-gw-forward-headers' },
      'x-gw-forward-headers',
    ],
  ];
  for (const [what, headers, param] of refused) {
    it(`refuses ${what}`, async () => {
      const resolve = await resolver();
      assert.throws(() => resolve(headers), { param });
    });
  }

  it('does not repeat the text of a broken config, which may hold a key', async () => {
    const resolve = await resolver();
    assert.throws(
      () => resolve({ 'x-gw-config': '{"api_key":"sk-secret"' }),
      (error: Error) => !error.message.includes('sk-secret'),
    );
  });
});

describe('the config of a request in a workspace', () => {
  const access = { organisationId: 'org-1', workspaceId: 'a' } as Access;
  const entry = (slug: string, config: JsonObject) => configOf('a', slug, config);
  const records = recordsOf({
    organisation: { defaults: { config: 'pc-org' } },
    workspaces: [workspaceOf('a'), workspaceOf('b', { defaults: { config: 'pc-b' } })],
    configs: [
      entry('pc-main', { virtual_key: 'p' }),
      entry('pc-bare', { retry: { attempts: 1 } }),
      entry('pc-org', { virtual_key: 'o' }),
      configOf('b', 'pc-b', { virtual_key: 'b' }),
    ],
  });
  const main = { id: 'id-pc-main', slug: 'pc-main', versionId: 'v1' };
  const bare = { id: 'id-pc-bare', slug: 'pc-bare', versionId: 'v1' };
  const org = { id: 'id-pc-org', slug: 'pc-org', versionId: 'v1' };
  const manifest = { ...requestConfigManifest } as Manifest;

  async function inWorkspace() {
    const hooks = await requestConfig.setup({}, createTestHost({ manifest, directory: records, file: { configs } }));
    return (
      headers: Record<string, string>,
      { model = 'm', ...principal }: Partial<Principal> & { model?: string },
    ) => {
      const exchange = exchangeOf({ headers, body: { model } });
      exchange.principal = { id: 'p', kind: 'key', access, ...principal };
      const resolution = hooks.resolve?.(exchange);
      assert.ok(resolution !== undefined && !(resolution instanceof Promise));
      return resolution;
    };
  }

  type Asked = Partial<Principal> & { model?: string };
  const table: readonly [string, Record<string, string>, Asked, Resolution][] = [
    ['is found by slug', { 'x-gw-config': 'pc-main' }, {}, { config: { virtual_key: 'p' }, saved: main }],
    ['is found by id', { 'x-gw-config': 'id-pc-main' }, {}, { config: { virtual_key: 'p' }, saved: main }],
    ["is the key's", {}, { config: 'pc-main' }, { config: { virtual_key: 'p' }, saved: main }],
    [
      "is the header's before the key's",
      { 'x-gw-config': 'pc-bare' },
      { config: 'pc-main' },
      { config: { retry: { attempts: 1 } }, saved: bare },
    ],
    ["is the organisation's where nothing else is", {}, {}, { config: { virtual_key: 'o' }, saved: org }],
    [
      'is not the default where the model names a provider',
      {},
      { model: '@p/m' },
      { config: { provider: '@p' }, inline: true },
    ],
    [
      'is not the default where a header does',
      { 'x-gw-virtual-key': 'p' },
      {},
      { config: { virtual_key: 'p' }, inline: true },
    ],
    [
      'takes the provider of the header where it has none',
      { 'x-gw-config': 'pc-bare', 'x-gw-provider': '@p' },
      {},
      { config: { retry: { attempts: 1 } }, saved: bare, overrides: { provider: '@p' } },
    ],
    ['may be inline', { 'x-gw-config': '{"provider":"x"}' }, {}, { config: { provider: 'x' }, inline: true }],
    [
      'stays that of a key that allows no other, with the provider of the header where it has none',
      { 'x-gw-virtual-key': 'p' },
      { config: 'pc-bare', allowConfigOverride: false },
      { config: { retry: { attempts: 1 } }, saved: bare, overrides: { virtual_key: 'p' } },
    ],
  ];
  for (const [name, headers, asked, expected] of table) {
    it(name, async () => assert.deepEqual((await inWorkspace())(headers, asked), expected));
  }

  it('is the same object for equal requests, and another once the headers differ', async () => {
    const resolve = await inWorkspace();
    const headers = { 'x-gw-config': 'pc-main' };
    assert.equal(resolve(headers, {}), resolve({ 'x-gw-config': 'id-pc-main' }, {}));
    assert.notEqual(resolve(headers, {}), resolve({ ...headers, 'x-gw-request-timeout': '5' }, {}));
  });

  const refused: readonly [string, Record<string, string>, Asked, string, RegExp][] = [
    ["another workspace's", { 'x-gw-config': 'pc-b' }, {}, 'invalid_config', /"pc-b"/],
    ["the file's", { 'x-gw-config': 'main' }, {}, 'invalid_config', /"main"/],
    ['a path', { 'x-gw-config': '../b/pc-b' }, {}, 'invalid_config', /"\.\.\/b\/pc-b"/],
    ['one that the key names and nobody saved', {}, { config: 'pc-gone' }, 'invalid_config', /"pc-gone"/],
    [
      'any other of a key that allows none',
      { 'x-gw-config': 'pc-main' },
      { config: 'pc-main', allowConfigOverride: false },
      'config_override_blocked',
      /pc-main/,
    ],
  ];
  for (const [what, headers, asked, code, message] of refused) {
    it(`is not ${what}`, async () => {
      const resolve = await inWorkspace();
      assert.throws(() => resolve(headers, asked), { code, message });
    });
  }
});
