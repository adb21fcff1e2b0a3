import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, Resolution } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import requestConfig from '../../plugins/request-config/index.ts';
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
