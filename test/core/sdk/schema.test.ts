import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  isPlugin,
  isProvider,
  kebabName,
  manifestSchema,
  phaseNames,
  plugin,
  provider,
  schema,
  secret,
  setting,
  snakeName,
} from 'portcullis/sdk';

describe('the names of a setting', () => {
  const table: readonly [string, string, string][] = [
    ['region', 'region', 'region'],
    ['apiKey', 'api_key', 'api-key'],
    ['acmeServiceAccountJson', 'acme_service_account_json', 'acme-service-account-json'],
    ['v2Url', 'v2_url', 'v2-url'],
  ];
  for (const [name, snake, kebab] of table) {
    it(`are ${snake} in configs and ${kebab} in headers for ${name}`, () =>
      assert.deepEqual([snakeName(name), kebabName(name)], [snake, kebab]));
  }
});

describe('a setting', () => {
  it('says where it comes from, and only a secret is one', () => {
    const shown = setting({ env: 'A', header: 'x-a', description: 'd', pattern: '^a$', default: 'a' });
    assert.deepEqual(
      { ...shown },
      {
        type: 'string',
        minLength: 1,
        maxLength: 8192,
        description: 'd',
        pattern: '^a$',
        default: 'a',
        'x-env': 'A',
        'x-header': 'x-a',
      },
    );
    assert.equal(({ ...secret() } as Record<string, unknown>)['x-secret'], true);
    assert.equal('x-secret' in setting(), false);
  });

  it('is never empty', () => {
    const validate = new Ajv2020({ strict: false }).compile(schema.Object({ key: secret(), region: setting() }));
    assert.deepEqual(
      [validate({ key: 'k', region: 'r' }), validate({ key: '', region: 'r' }), validate({ key: 'k', region: '' })],
      [true, false, false],
    );
  });
});

describe('a manifest', () => {
  const validate = new Ajv2020({ strict: false }).compile(manifestSchema);
  const good = { name: 'a-1', kind: 'plugin', version: '1.0.0', sdk: '^1.0.0', title: 'A' };

  const accepted: readonly [string, object][] = [
    ['the least', good],
    ['every phase', { ...good, phases: [...phaseNames] }],
    [
      'permissions',
      {
        ...good,
        permissions: {
          net: ['api.example.com:443', '*.example.com:8443'],
          env: ['ACME_KEY'],
          file: ['keys', 'configs', 'providers'],
        },
      },
    ],
  ];
  for (const [what, manifest] of accepted) it(`may hold ${what}`, () => assert.equal(validate(manifest), true));

  const refused: readonly [string, object][] = [
    ['a name in capitals', { ...good, name: 'A' }],
    ['a name with a slash', { ...good, name: '../a' }],
    ['an unknown kind', { ...good, kind: 'theme' }],
    ['an unknown phase', { ...good, phases: ['later'] }],
    ['a phase twice', { ...good, phases: ['log', 'log'] }],
    ['an unknown field', { ...good, priority: 5 }],
    ['an unknown permission', { ...good, permissions: { disk: ['/'] } }],
    ['a host without port', { ...good, permissions: { net: ['api.example.com'] } }],
    ['a section of the file that nobody may read', { ...good, permissions: { file: ['server'] } }],
    ['no title', { ...good, title: '' }],
  ];
  for (const [what, manifest] of refused) it(`may not hold ${what}`, () => assert.equal(validate(manifest), false));
});

describe('a declared unit', () => {
  it('is known as what it was declared to be, and is frozen', () => {
    const declaredPlugin = plugin({ config: schema.Object({}), setup: () => ({}) });
    const declaredProvider = provider({
      settings: schema.Object({}),
      base: 'https://a.example',
      auth: { kind: 'none' },
      endpoints: {},
    });
    assert.deepEqual(
      [isPlugin(declaredPlugin), isProvider(declaredPlugin), isPlugin(declaredProvider), isProvider(declaredProvider)],
      [true, false, false, true],
    );
    assert.ok(Object.isFrozen(declaredPlugin) && Object.isFrozen(declaredProvider));
    for (const other of [{ ...declaredPlugin }, null, undefined, 'x'])
      assert.ok(!isPlugin(other) && !isProvider(other));
  });
});
