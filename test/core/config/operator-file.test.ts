// biome-ignore-all lint/suspicious/noTemplateCurlyInString: substitutions are what these tests write.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { type FileFault, parseOperatorFile, readOperatorFile } from '../../../core/config/operator-file.ts';
import { schemaFileText } from '../../../core/config/schema-file.ts';

const hash = 'ab'.repeat(32);
const variables: Readonly<Record<string, string>> = {
  PORT: '9000',
  KEY: 'sk-very-secret',
  EMPTY: '',
  ON: 'true',
  HASH: hash,
};
const lookup = (name: string) => variables[name];

function fileOf(text: string) {
  const parsed = parseOperatorFile(text, lookup, { path: '/etc/gateway/portcullis.yaml' });
  if ('faults' in parsed) throw new assert.AssertionError({ message: JSON.stringify(parsed.faults) });
  return parsed.file;
}

function faultsOf(text: string): readonly FileFault[] {
  const parsed = parseOperatorFile(text, lookup, { path: 'portcullis.yaml' });
  return 'faults' in parsed ? parsed.faults : [];
}

describe("the operator's file", () => {
  it('reads every section', () => {
    const file = fileOf(`
server: { port: 9000, header_vendors: [gw, acme], cors: { enabled: true, origins: ['https://a.example'] }, timeouts: { gap: 5 } }
log: { level: warn }
plugins:
  folders: [{ path: ./extra, trust: trusted }, { path: /opt/more }]
  signing_keys: [{ kty: OKP, crv: Ed25519, x: ${'A'.repeat(43)} }]
phases:
  attempt: [retry, { plugin: my-plugin@1, config: { times: 2 } }]
providers: { main: { provider: acme@2, custom_host: 'https://a.example/v1', models: [m], api_key: k, retries: 3 } }
configs: { fast: { provider: '@main' } }
default_config: fast
keys: [{ name: app, sha256: ${hash}, config: fast, metadata: { team: x } }]
`);
    assert.equal(file.server?.port, 9000);
    assert.deepEqual(file.plugins?.folders, [{ path: '/etc/gateway/extra', trust: 'trusted' }, { path: '/opt/more' }]);
    assert.deepEqual(file.phases?.attempt?.[1], { plugin: 'my-plugin@1', config: { times: 2 } });
    assert.equal(file.keys?.[0]?.sha256, hash);
  });

  for (const text of ['', '# nothing\n', '{}']) {
    it(`takes ${JSON.stringify(text)} for a file that sets nothing`, () => assert.deepEqual(fileOf(text), {}));
  }

  const refused: readonly [string, string, number, RegExp][] = [
    ['server:\n  prot: 1', 'server.prot', 2, /not a known key\. Did you mean port\?/],
    ['servr: {}', 'servr', 1, /Did you mean server\?/],
    ['server:\n  port: 70000', 'server.port', 2, /integer from 0 to 65535/],
    ["server:\n  port: '80'", 'server.port', 2, /not a string/],
    ['log: { level: loud }', 'log.level', 1, /info/],
    ['keys:', 'keys', 1, /must be a list.*, not empty/],
    [`keys:\n  - name: a\n    key: sk-very-secret\n    sha256: ${hash}`, 'keys[0].key', 3, /portcullis keys hash/],
    ['keys: [{ name: a, sha256: sk-very-secret }]', 'keys[0].sha256', 1, /64 hexadecimal digits/],
    ['keys: [{ name: a }]', 'keys[0].sha256', 1, /is required/],
    [
      `keys: [{ name: a, sha256: ${hash} }, { name: b, sha256: ${hash.toUpperCase()} }]`,
      'keys[1].sha256',
      1,
      /same as that of keys\[0\]/,
    ],
    [`keys: [{ name: a, sha256: ${hash}, config: gone }]`, 'keys[0].config', 1, /names a config/],
    ['configs: { fast: {} }\ndefault_config: fsat', 'default_config', 2, /Did you mean fast\?/],
    ['phases: { atempt: [] }', 'phases.atempt', 1, /Did you mean attempt\?/],
    ['phases: { attempt: [7] }', 'phases.attempt[0]', 1, /name or name@major/],
    ['phases: { attempt: [{ plugin: a, confg: {} }] }', 'phases.attempt[0].confg', 1, /Did you mean config\?/],
    ['phases: { attempt: [a, a] }', 'phases.attempt[1]', 1, /runs once in a phase/],
    [
      'phases:\n  admit: [{ plugin: a, config: {} }]\n  settle: [{ plugin: a, config: {} }]',
      'phases.settle[0].config',
      3,
      /a second time; it stands at phases\.admit\[0\]\.config/,
    ],
    ['providers: { "a b": { provider: x } }', 'providers["a b"]', 1, /not accepted as a name/],
    ['providers: { a: { provider: x, api_key: } }', 'providers.a.api_key', 1, /not empty/],
    ['providers: { a: { provider: x, apiKey: k } }', 'providers.a.apiKey', 1, /snake_case/],
    ['plugins: { folders: [{ path: x, trust: full }] }', 'plugins.folders[0].trust', 1, /trusted or sandboxed/],
    ['plugins: { signing_keys: [{ kty: OKP, crv: P-256, x: y }] }', 'plugins.signing_keys[0].crv', 1, /Ed25519/],
    ['- a', '', 1, /The file must be a mapping/],
    ['a: [1,\nb: 2', '', 2, /cannot be read/],
    ['log: {}\nlog: {}', '', 2, /twice in the same mapping/],
    ['log: {}\n---\nlog: {}', '', 2, /one document/],
    ['configs:\n  a: !!js/function x', '', 2, /tag/],
    ['configs: *gone', 'configs', 1, /anchor/],
    ['configs: { a: &a { b: *a } }', 'configs.a.b', 1, /nested too deeply|alias/],
    ['configs: { __proto__: {} }', 'configs.__proto__', 1, /cannot be a key/],
    ['configs: { <<: {} }', 'configs["<<"]', 1, /cannot be a key/],
    ['configs: { a: { b: .nan } }', 'configs.a.b', 1, /finite number/],
  ];
  for (const [text, path, line, message] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 70))} at ${path || 'the file'}`, () => {
      const [fault, ...others] = faultsOf(text);
      assert.ok(fault);
      assert.deepEqual(
        [fault.path, fault.line, others.length],
        [path, line, path === 'plugins.signing_keys[0].crv' ? 1 : 0],
      );
      assert.match(fault.message, message);
    });
  }

  it('finds all faults, in the order of the lines', () => {
    const faults = faultsOf('log: { level: loud }\nserver:\n  port: x\n  host: 3\nextra: 1');
    assert.deepEqual(
      faults.map(({ path, line }) => [path, line]),
      [
        ['log.level', 1],
        ['server.port', 3],
        ['server.host', 4],
        ['extra', 5],
      ],
    );
  });

  it('gives an unknown key its nearest and the known ones', () => {
    const [fault] = faultsOf('server: { timeouts: { conect: 5 } }');
    assert.equal(fault?.nearest, 'connect');
    assert.equal(fault?.accepted, 'connect, first_byte, gap, total, request');
  });

  it('bounds aliases that multiply', () => {
    const rows = Array.from(
      { length: 12 },
      (_, index) => `  c${index + 1}: &a${index + 1} { x: *a${index}, y: *a${index} }`,
    );
    const faults = faultsOf(`configs:\n  c0: &a0 { p: 1 }\n${rows.join('\n')}`);
    assert.equal(faults.length, 1);
    assert.match(faults[0]?.message ?? '', /at most 100/);
  });

  it('follows an alias', () => {
    assert.deepEqual(fileOf('configs: { a: &a { p: 1 }, b: *a }').configs, { a: { p: 1 }, b: { p: 1 } });
  });

  it('survives a nesting beyond all use', () => {
    assert.match(faultsOf(`configs: ${'['.repeat(50_000)}`)[0]?.message ?? '', /cannot be read/);
  });

  it('keeps the secrets of a file out of all faults', () => {
    const texts = [
      'keys: [{ name: a, sha256: "${KEY}" }, { name: sk-very-secret2, key: "${KEY}" }]',
      'server: { port: "${KEY}", host: "${KEY} ", header_vendors: ["${KEY} "] }',
      'log: { level: "${KEY}" }\nphases: { attempt: ["${KEY} "] }',
      'providers: { a: { provider: "${KEY} ", custom_host: "${KEY}" } }',
      'api: "sk-very-secret',
      'api: sk-very-secret: b: c',
      'api: [sk-very-secret',
      '"sk-very-secret" x: 1',
      'api: *sk-very-secret',
    ];
    for (const text of texts) {
      const faults = faultsOf(text);
      assert.ok(faults.length > 0, text);
      assert.ok(!JSON.stringify(faults).includes('sk-very-secret'), text);
    }
  });
});

describe('substitution', () => {
  it('takes variables, defaults and escapes, after the YAML has been read', () => {
    const { configs } = fileOf(
      'configs: { a: { one: "${KEY}", two: "<${KEY}>", three: "${NOPE:-x: [y}", four: "$${KEY}", five: "${EMPTY:-e}", six: "[${EMPTY}]", seven: $5 } }',
    );
    assert.deepEqual(configs?.a, {
      one: 'sk-very-secret',
      two: '<sk-very-secret>',
      three: 'x: [y',
      four: '${KEY}',
      five: 'e',
      six: '[]',
      seven: '$5',
    });
  });

  it('does not read what it has inserted', () => {
    const parsed = parseOperatorFile('configs: { a: { b: "${X}" } }', () => '${KEY}', { path: 'p' });
    assert.deepEqual('file' in parsed && parsed.file.configs, { a: { b: '${KEY}' } });
  });

  it('gives numbers and booleans where the schema wants them and the whole scalar is one substitution', () => {
    const file = fileOf(
      'server: { port: "${PORT}", cors: { enabled: "${ON}" }, timeouts: { gap: "${NOPE:-7}" } }\nconfigs: { a: { n: "${PORT}" } }',
    );
    assert.deepEqual(file.server, { port: 9000, cors: { enabled: true }, timeouts: { gap: 7 } });
    assert.deepEqual(file.configs?.a, { n: '9000' });
  });

  const refused: readonly [string, RegExp][] = [
    ['server: { port: "1${PORT}" }', /server\.port must be an integer.*not a string/],
    ['server: { host: "${NOPE}" }', /server\.host needs the environment variable NOPE, which is not set/],
    ['server: { host: "${not-a-name}" }', /malformed substitution/],
    ['server: { host: "${KEY" }', /malformed substitution/],
  ];
  for (const [text, message] of refused) {
    it(`refuses ${text}`, () => {
      const faults = faultsOf(text);
      assert.equal(faults.length, 1);
      assert.match(faults[0]?.message ?? '', message);
    });
  }
});

describe('reading from disk', () => {
  it('names the file that cannot be read', async () => {
    await assert.rejects(readOperatorFile('/nowhere/portcullis.yaml', lookup), (error) => {
      assert.ok(GatewayError.is(error));
      assert.match(error.message, /\/nowhere\/portcullis\.yaml cannot be read \(ENOENT\)/);
      return true;
    });
  });
});

describe('portcullis.schema.json', () => {
  it('is what the schema gives', async () => {
    const committed = await readFile(new URL('../../../core/config/portcullis.schema.json', import.meta.url), 'utf8');
    assert.equal(committed, schemaFileText());
  });
});
