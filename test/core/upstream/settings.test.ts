import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GatewayError, type JsonObject, type Settings, schema, secret, setting } from 'portcullis/sdk';
import { headerSettings, pathOf, resolveSettings, type SettingSources } from '../../../core/upstream/settings.ts';
import { exchangeOf, leafOf } from '../../support/exchange.ts';
import { unitOf } from './unit.ts';

const regional = unitOf({
  base: (settings) =>
    settings.region === undefined ? 'https://alpha.example/v1' : `https://${String(settings.region)}.alpha.example/v1`,
});

function resolved(sources: Partial<SettingSources>) {
  return resolveSettings({
    unit: regional,
    leaf: leafOf(),
    saved: undefined,
    leafIsCallers: false,
    hostIsCallers: false,
    fromHeaders: undefined,
    env: () => undefined,
    ...sources,
  });
}

const env = (name: string) => ({ ALPHA_KEY: 'env-key', ALPHA_REGION: undefined })[name];
const saved = { settings: { api_key: 'saved-key' } };
const evil = 'https://evil.example/v1';
const home = 'https://alpha.example/v1';

describe('the settings of a target', () => {
  const layers: readonly [string, Partial<SettingSources>, string][] = [
    ['the environment', { env }, 'env-key'],
    ['the saved provider', { saved }, 'saved-key'],
    ['the config', { leaf: leafOf({ apiKey: 'config-key' }) }, 'config-key'],
    ['the config’s own field', { leaf: leafOf({ settings: { api_key: 'field-key' } }) }, 'field-key'],
    ['the config over the environment', { env, leaf: leafOf({ apiKey: 'config-key' }) }, 'config-key'],
    ['the config over the saved provider', { saved, leaf: leafOf({ apiKey: 'config-key' }) }, 'config-key'],
    ['the headers over the environment', { env, fromHeaders: { apiKey: 'header-key' } }, 'header-key'],
    [
      'the headers over the config',
      { leaf: leafOf({ settings: { api_key: 'field-key' } }), fromHeaders: { apiKey: 'header-key' } },
      'header-key',
    ],
  ];
  for (const [what, sources, expected] of layers) {
    it(`come from ${what}`, () => assert.equal(resolved(sources).settings.apiKey, expected));
  }

  it('of a saved provider are not filled in from the environment', () => {
    assert.throws(() => resolved({ env, saved: { settings: {} } }), { code: 'missing_credentials', param: 'api_key' });
  });

  it('say how they can be given when one is missing', () => {
    assert.throws(
      () => resolved({}),
      (error: unknown) => {
        assert.ok(GatewayError.is(error));
        assert.match(error.message, /alpha needs api_key.*Authorization header.*ALPHA_KEY/);
        return true;
      },
    );
  });

  it('are refused by name, without their value, where they break the pattern', () => {
    assert.throws(
      () => resolved({ fromHeaders: { apiKey: 'k', region: 'evil.example/#' } }),
      (error: unknown) => {
        assert.ok(GatewayError.is(error));
        assert.deepEqual([error.code, error.param], ['bad_request', 'region']);
        assert.doesNotMatch(error.message, /evil/);
        return true;
      },
    );
  });

  const bases: readonly [string, Partial<SettingSources>, string, boolean][] = [
    ["the provider's own", { env }, home, false],
    ['made of settings', { env, leaf: leafOf({ settings: { region: 'eu' } }) }, 'https://eu.alpha.example/v1', false],
    [
      "the saved provider's host",
      { saved: { ...saved, customHost: 'https://saved.example/v1/' } },
      'https://saved.example/v1',
      true,
    ],
    [
      "the config's host",
      { env, leaf: leafOf({ customHost: 'https://config.example/v1//' }) },
      'https://config.example/v1',
      true,
    ],
    [
      "the config's host over the saved provider's",
      {
        saved: { ...saved, customHost: 'https://saved.example' },
        leaf: leafOf({ customHost: 'https://config.example' }),
      },
      'https://config.example',
      true,
    ],
  ];
  for (const [what, sources, base, customHost] of bases) {
    it(`give ${what} as base, without a slash at its end`, () => {
      const result = resolved(sources);
      assert.deepEqual([result.base, result.customHost], [base, customHost]);
    });
  }
});

describe("the operator's secrets", () => {
  const callers = { leafIsCallers: true, hostIsCallers: true };
  const kept: readonly [string, Partial<SettingSources>][] = [
    ['the caller gives nothing', { env }],
    ['the caller names a setting that leaves the origin alone', { env, fromHeaders: { organization: 'o' } }],
    [
      "the caller's host is the provider's own",
      { env, ...callers, leaf: leafOf({ customHost: 'https://alpha.example/other' }) },
    ],
    [
      "the caller's host is the saved provider's",
      {
        saved: { ...saved, customHost: 'https://saved.example/v1' },
        ...callers,
        leaf: leafOf({ customHost: 'https://saved.example/v2' }),
      },
    ],
    ['the operator’s config names the host', { env, leaf: leafOf({ customHost: evil }) }],
    [
      'the caller repeats the host of the config',
      {
        env,
        hostIsCallers: true,
        operatorHost: 'https://proxy.example/a',
        leaf: leafOf({ customHost: 'https://proxy.example/b' }),
      },
    ],
    [
      'the origin is written in another way',
      { env, ...callers, leaf: leafOf({ customHost: 'HTTPS://Alpha.Example:443/v1' }) },
    ],
  ];
  for (const [when, sources] of kept) {
    it(`travel where ${when}`, () => assert.match(String(resolved(sources).settings.apiKey), /^(env|saved)-key$/));
  }

  const withheld: readonly [string, Partial<SettingSources>][] = [
    ['the caller names a host', { env, ...callers, leaf: leafOf({ customHost: evil }) }],
    ['the caller names a host for a saved provider', { saved, ...callers, leaf: leafOf({ customHost: evil }) }],
    ['a header names the host over a saved config', { env, hostIsCallers: true, leaf: leafOf({ customHost: evil }) }],
    [
      'a header names the host, and the config holds the key',
      { hostIsCallers: true, leaf: leafOf({ apiKey: 'config-key', customHost: evil }) },
    ],
    ['a header sets what the host is made of', { env, fromHeaders: { region: 'evil' } }],
    [
      'an inline config sets what the host is made of',
      { env, leafIsCallers: true, leaf: leafOf({ settings: { region: 'evil' } }) },
    ],
    ['only the scheme differs', { env, ...callers, leaf: leafOf({ customHost: 'http://alpha.example/v1' }) }],
    ['only the port differs', { env, ...callers, leaf: leafOf({ customHost: 'https://alpha.example:8443/v1' }) }],
    [
      'the host is a name inside a longer one',
      { env, ...callers, leaf: leafOf({ customHost: 'https://alpha.example.evil.example/v1' }) },
    ],
    [
      'the host hides behind user info',
      { env, ...callers, leaf: leafOf({ customHost: 'https://alpha.example@evil.example/v1' }) },
    ],
    [
      "the caller's host is the provider's own, but the config points the key at another",
      { env, hostIsCallers: true, operatorHost: 'https://proxy.example', leaf: leafOf({ customHost: home }) },
    ],
    ['the host is no URL', { env, ...callers, leaf: leafOf({ customHost: 'nonsense' }) }],
  ];
  for (const [when, sources] of withheld) {
    it(`are left out where ${when}`, () =>
      assert.throws(() => resolved(sources), { code: 'missing_credentials', param: 'api_key' }));
  }

  it("make place for the caller's own", () => {
    const result = resolved({
      env,
      hostIsCallers: true,
      leaf: leafOf({ customHost: evil }),
      fromHeaders: { apiKey: 'caller-key' },
    });
    assert.deepEqual([result.settings.apiKey, result.base], ['caller-key', evil]);
  });

  it('never reach an origin that the operator’s layers alone do not lead to', () => {
    const unit = unitOf({
      settings: schema.Object({
        apiKey: schema.Optional(secret({ env: 'KEY' })),
        other: schema.Optional(secret({ env: 'OTHER' })),
        region: schema.Optional(setting({ env: 'REGION' })),
      }),
      base: (settings) => `https://${String(settings.region ?? 'home')}.example/v1`,
    });
    const hosts = fc.constantFrom(
      undefined,
      'https://home.example',
      'https://a.example/x',
      'http://home.example',
      'https://home.example:444',
      'https://home.example@a.example',
      'nonsense',
    );
    const regions = fc.constantFrom(undefined, 'home', 'a', 'b');
    const maybe = fc.constantFrom(undefined, 'given');
    const sources = fc.record({
      envKey: fc.boolean(),
      envRegion: regions,
      saved: fc.option(fc.record({ region: regions, host: hosts, key: fc.boolean() }), { nil: undefined }),
      leafRegion: regions,
      leafKey: maybe,
      host: hosts,
      configHost: hosts,
      inline: fc.boolean(),
      hostIsCallers: fc.boolean(),
      headerRegion: regions,
      headerKey: maybe,
    });
    fc.assert(
      fc.property(sources, (given) => {
        const hostIsCallers = given.host !== undefined && (given.inline || given.hostIsCallers);
        const savedProvider = given.saved && {
          ...(given.saved.host === undefined ? {} : { customHost: given.saved.host }),
          settings: compacted({
            region: given.saved.region,
            api_key: given.saved.key ? 'operator-saved' : undefined,
            other: 'operator-other',
          }),
        };
        const leaf = leafOf({
          settings: compacted({
            region: given.leafRegion,
            api_key: given.leafKey && (given.inline ? 'caller-leaf' : 'operator-leaf'),
          }),
          ...(given.host === undefined ? {} : { customHost: given.host }),
        });
        const configHost = given.inline ? undefined : given.configHost;
        const headers = compacted({ region: given.headerRegion, apiKey: given.headerKey && 'caller-header' });
        const result = attempted({
          unit,
          leaf,
          saved: savedProvider,
          leafIsCallers: given.inline,
          hostIsCallers,
          operatorHost: hostIsCallers ? configHost : undefined,
          fromHeaders: Object.keys(headers).length === 0 ? undefined : (headers as Settings),
          env: (name) =>
            ({ KEY: given.envKey ? 'operator-env' : undefined, OTHER: 'operator-other', REGION: given.envRegion })[
              name
            ],
        });
        if (
          result === undefined ||
          !Object.values(result.settings).some((value) => String(value).startsWith('operator-'))
        )
          return;

        const operatorRegion =
          (given.inline ? undefined : given.leafRegion) ??
          (given.saved === undefined ? given.envRegion : given.saved.region) ??
          'home';
        const operatorHost = (hostIsCallers ? configHost : given.inline ? undefined : given.host) ?? given.saved?.host;
        const operatorBase = operatorHost ?? `https://${operatorRegion}.example/v1`;
        const nobodyElse = !given.inline && !hostIsCallers && Object.keys(headers).length === 0;
        assert.ok(
          nobodyElse || originOf(result.base) === originOf(operatorBase),
          `${result.base} is not where ${operatorBase} leads`,
        );
      }),
      { numRuns: 3000 },
    );
  });
});

function attempted(sources: SettingSources) {
  try {
    return resolveSettings(sources);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    return undefined;
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : `no URL: ${url}`;
}

function compacted(fields: Record<string, string | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

describe('the settings in the headers of a caller', () => {
  const table: readonly [string, Record<string, string>, string | undefined, Settings | undefined][] = [
    ['none', { accept: '*/*' }, undefined, undefined],
    ['a Bearer token', { authorization: 'Bearer k' }, undefined, { apiKey: 'k' }],
    ['a bare token', { authorization: 'k' }, undefined, { apiKey: 'k' }],
    ['x-api-key', { 'x-api-key': 'k' }, undefined, { apiKey: 'k' }],
    ['api-key', { 'api-key': 'k' }, undefined, { apiKey: 'k' }],
    ['x-goog-api-key', { 'x-goog-api-key': 'k' }, undefined, { apiKey: 'k' }],
    ['Authorization before x-api-key', { authorization: 'Bearer a', 'x-api-key': 'b' }, undefined, { apiKey: 'a' }],
    [
      "nothing of the header that held the gateway's key",
      { authorization: 'Bearer gateway' },
      'authorization',
      undefined,
    ],
    [
      "another header beside the one that held the gateway's key",
      { authorization: 'Bearer gateway', 'x-api-key': 'b' },
      'authorization',
      { apiKey: 'b' },
    ],
    [
      "Authorization beside x-api-key that held the gateway's key",
      { authorization: 'Bearer a', 'x-api-key': 'gateway' },
      'x-api-key',
      { apiKey: 'a' },
    ],
    ['a setting by its own name', { 'x-gw-region': 'eu' }, undefined, { region: 'eu' }],
    ['a setting by its native header', { 'alpha-organization': 'o' }, undefined, { organization: 'o' }],
    [
      "the gateway's spelling before the native one",
      { 'alpha-organization': 'o', 'x-gw-organization': 'p' },
      undefined,
      { organization: 'p' },
    ],
    ["nothing of the header that is the gateway's own", { 'x-gw-api-key': 'pc_gateway' }, undefined, undefined],
    ['nothing of an empty header', { 'x-gw-region': '', authorization: 'Bearer ' }, undefined, undefined],
  ];
  for (const [what, headers, consumed, expected] of table) {
    it(`are read from ${what}`, () => {
      const exchange = exchangeOf({ headers });
      exchange.principal = { id: 'p', kind: 'key', ...(consumed === undefined ? {} : { consumed }) };
      assert.deepEqual(headerSettings(unitOf(), exchange, true), expected);
    });
  }
});

it('leave the secrets of a caller aside where they are not wanted', () => {
  const exchange = exchangeOf({ headers: { authorization: 'Bearer k', 'x-gw-region': 'eu' } });
  assert.deepEqual(headerSettings(unitOf(), exchange, false), { region: 'eu' });
});

describe('the path of a call', () => {
  const facts = {
    settings: { region: 'eu/west' },
    endpoint: 'chatComplete',
    model: 'm',
    stream: false,
    query: {},
    params: { id: 'r 1' },
  } as const;
  const table: readonly [string, string, string, string][] = [
    ['a plain model', '/models/{model}:go', 'gpt-4.1', '/models/gpt-4.1:go'],
    ['a model with a slash', '/models/{model}', 'org/model', '/models/org%2Fmodel'],
    ['a model that looks like a URL', '/models/{model}/chat', '../../x?y#z', '/models/..%2F..%2Fx%3Fy%23z/chat'],
    ['a model in other letters', '/models/{model}', 'mödel 1', '/models/m%C3%B6del%201'],
    ['a model with half a character', '/models/{model}', 'a\ud800', '/models/a%EF%BF%BD'],
    ['a model that is a template', '/models/{model}', '{id}', '/models/%7Bid%7D'],
    ['a path parameter', '/responses/{id}', 'm', '/responses/r%201'],
    ['a setting', '/r/{region}', 'm', '/r/eu%2Fwest'],
  ];
  for (const [what, template, model, expected] of table) {
    it(`encodes ${what}`, () => assert.equal(pathOf(template, { ...facts, model }), expected));
  }

  for (const id of ['.', '..']) {
    it(`takes no "${id}" for an id, which servers read as a step in the path`, () => {
      assert.throws(() => pathOf('/responses/{id}/input_items', { ...facts, params: { id } }), {
        code: 'bad_request',
        param: 'id',
      });
    });
  }

  it('names what is missing', () => {
    assert.throws(() => pathOf('/models/{model}', { ...facts, model: '' }), { code: 'bad_request', param: 'model' });
  });
});
