import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  type AnyCheck,
  type CheckHost,
  type CheckInput,
  GatewayError,
  isGuardrail,
  type Json,
  type Manifest,
  type Verdict,
} from 'portcullis/sdk';
import { checkInput, conform, createCheckHost } from 'portcullis/sdk/testing';
import { loadSandboxedGuardrail } from '../../../core/sandbox/sandboxed-guardrail.ts';
import { testSandbox } from './sandboxed.ts';

const { sandbox } = testSandbox();
const root = mkdtempSync(join(tmpdir(), 'guardrails-'));
after(() => rmSync(root, { recursive: true }));

const manifest: Manifest = { name: 'words', kind: 'guardrail', version: '1.2.0', sdk: '^1.0.0', title: 'Words' };

function unitOf(index: string): string {
  const folder = mkdtempSync(join(root, 'unit-'));
  writeFileSync(join(folder, 'index.ts'), index);
  return folder;
}

const load = (index: string, own: Partial<Manifest> = {}) =>
  loadSandboxedGuardrail({ manifest: { ...manifest, ...own }, folder: unitOf(index) }, sandbox, { timeoutMs: 5000 });

/** As the runner calls a check, whose types it does not know. */
interface Untyped {
  run(input: CheckInput, config: Json, host: CheckHost): Promise<Verdict>;
  accept(config: Json, host: CheckHost): Promise<void>;
}

const run = (check: AnyCheck | undefined, input: CheckInput, config: Json, host: CheckHost) =>
  (check as unknown as Untyped).run(input, config, host);
const accept = (check: AnyCheck | undefined, config: Json) =>
  (check as unknown as Untyped).accept(config, createCheckHost());

const words = `import { callJson, check, type CheckHost, GatewayError, guardrail, schema, secret } from 'portcullis/sdk';
  const config = schema.Object({ words: schema.Array(schema.String({ maxLength: 20 }), { maxItems: 9 }) }, { additionalProperties: false });
  const banned = check({
    title: 'Banned words', config, phases: ['beforeRequest', 'afterRequest'], endpoints: ['chatComplete'], edits: 'may', whole: true,
    prepare: ({ words }) => {
      if (words.includes('')) throw new GatewayError('invalid_config', 'words[0] is empty.', { param: 'words[0]' });
      return new Set(words);
    },
    run: ({ text }, banned) => ({ pass: !text.split(' ').some((word) => banned.has(word)) }),
  });
  const asked = check({
    title: 'Asked', config: schema.Object({}), phases: ['beforeRequest'], scans: false, remote: { timeoutMs: 3000 },
    whole: () => false,
    run: async (_, config, host: CheckHost<{ apiKey: string }>) => ({
      pass: true,
      data: await callJson(host, { vendor: 'Words', url: 'https://words.example.com/', headers: { key: host.credentials.apiKey } }),
    }),
  });
  export default guardrail({ credentials: schema.Object({ apiKey: secret() }), checks: { banned, asked } });`;

describe('a guardrail in the sandbox', () => {
  it('declares what its unit declares', async () => {
    const loaded = await load(words);
    assert.ok(isGuardrail(loaded));
    assert.deepEqual(Object.keys(loaded.checks), ['banned', 'asked']);
    const { run: _run, accept: _accept, ...facts } = loaded.checks.banned as AnyCheck;
    assert.deepEqual(facts, {
      title: 'Banned words',
      config: {
        type: 'object',
        required: ['words'],
        properties: { words: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 9 } },
        additionalProperties: false,
      },
      phases: ['beforeRequest', 'afterRequest'],
      endpoints: ['chatComplete'],
      edits: 'may',
      whole: true,
    });
    // What depends on a config stays inside: it may be so.
    assert.equal(loaded.checks.asked?.whole, true);
    assert.deepEqual(loaded.checks.asked?.remote, { timeoutMs: 3000 });
    assert.equal(loaded.checks.asked?.accept, undefined);
    assert.equal(loaded.credentials?.properties.apiKey?.['x-secret' as never], true);
  });

  it('asks for no credentials where a check calls nobody', async () => {
    const { checks } = await load(words);
    const host = createCheckHost();
    Object.defineProperty(host, 'credentials', {
      get: () => {
        throw new GatewayError('check_failed', 'None are stored.');
      },
    });
    assert.equal((await run(checks.banned, checkInput({ text: 'fine' }), { words: ['bad'] }, host)).pass, true);
    await assert.rejects(run(checks.asked, checkInput({ text: 'fine' }), {}, host), /None are stored/);
  });

  it('gives its verdicts', async () => {
    const { banned } = (await load(words)).checks;
    const verdict = (text: string) => run(banned, checkInput({ text }), { words: ['red', 'blue'] }, createCheckHost());
    assert.deepEqual(await verdict('a red dot'), { pass: false });
    assert.deepEqual(await verdict('a green dot'), { pass: true });
  });

  it('refuses the configs that it cannot prepare', async () => {
    const { banned } = (await load(words)).checks;
    await accept(banned, { words: ['red'] });
    await assert.rejects(
      accept(banned, { words: [''] }),
      (error) =>
        GatewayError.is(error) &&
        error.code === 'invalid_config' &&
        error.param === 'words[0]' &&
        error.message === 'words[0] is empty.',
    );
  });

  it('is not refused where the sandbox could not look', async () => {
    const { sandbox: closed } = testSandbox();
    await closed.close();
    const loading = loadSandboxedGuardrail({ manifest, folder: unitOf(words) }, closed);
    await assert.rejects(loading, { code: 'not_ready', message: /index\.ts: The sandbox is closed/ });
  });

  it('can be looked at again where its process was lost', async () => {
    const { sandbox: shaken } = testSandbox();
    const source = words.replace(
      "if (words.includes(''))",
      "if (words.includes('loop')) for (;;); if (words.includes(''))",
    );
    const { checks } = await loadSandboxedGuardrail({ manifest, folder: unitOf(source) }, shaken, {
      timeoutMs: 60_000,
    });
    const refused = assert.rejects(accept(checks.banned, { words: ['loop'] }), {
      code: 'not_ready',
      message: /interrupted twice by the end of its process|cannot be started at the moment/,
    });
    const isOver = refused.then(() => true);
    const soon = () => new Promise<false>((resolve) => setTimeout(resolve, 20, false));
    while (!(await Promise.race([isOver, soon()]))) for (const pid of shaken.state.pids) process.kill(pid, 'SIGKILL');
    await refused;
  });

  it('calls with secrets that it never sees', async () => {
    const { asked } = (await load(words)).checks;
    const host = createCheckHost({
      credentials: { apiKey: 'sk-0123456789' },
      fetch: (_, { headers }) => ({
        status: 200,
        headers: {},
        body: Buffer.from(JSON.stringify({ key: headers?.key, ok: headers?.key === 'sk-0123456789' })),
      }),
    });
    assert.deepEqual(await run(asked, checkInput(), {}, host), { pass: true, data: { key: '[secret]', ok: true } });
  });

  it('calls so often as its manifest says', async () => {
    const calling = `import { check, guardrail, schema } from 'portcullis/sdk';
      const often = check({ title: 'Often', config: schema.Object({}), phases: ['beforeRequest'], remote: { timeoutMs: 3000 },
        run: async (input, config, { fetch }) => ({ pass: true, data: (await Promise.allSettled([1, 2, 3, 4].map(() => fetch('https://a.example.com/')))).map(({ status }) => status) }) });
      export default guardrail({ checks: { often } });`;
    const { often } = (await load(calling, { limits: { outboundCalls: 2 } })).checks;
    const host = createCheckHost({ fetch: () => ({ status: 200, headers: {}, body: Buffer.from('') }) });
    assert.deepEqual((await run(often, checkInput(), {}, host)).data, [
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
  });

  it('keeps organisations apart', async () => {
    const { banned } = (await load(words)).checks;
    for (const organisationId of [undefined, 'a', 'b', 'a']) {
      const input = checkInput({ text: 'red', organisationId });
      assert.deepEqual(await run(banned, input, { words: ['red'] }, createCheckHost()), { pass: false });
    }
  });

  const checkOf = (fields: string) =>
    `export default { checks: { one: { title: 'One', config: { type: 'object', properties: {} }, phases: ['beforeRequest'], run() {}, ${fields} } } }`;
  const withField = (field: string) => checkOf(`config: { type: 'object', properties: { a: ${field} } }`);
  it('takes maps, unions and ordinary patterns', async () => {
    const fields = [
      "{ type: 'string', pattern: '^[0-9]{4}-[0-9]{2}$', default: '2026-01', 'x-note': 1 }",
      "{ type: 'object', patternProperties: { '^.*$': { type: 'number', minimum: 1 } } }",
      "{ type: 'string', pattern: 'x+y' }",
      "{ type: 'string', pattern: '^$|^[a-z]+(-[a-z]+)*$' }",
      "{ type: 'object', patternProperties: { '^(a+)+$': { type: 'number' } } }",
      "{ anyOf: [{ const: 'pattern' }, { type: 'array', prefixItems: [{ type: 'null' }], items: false }] }",
      "{ type: 'object', properties: { uniqueItems: { type: 'boolean' } } }",
    ];
    for (const field of fields) assert.ok(isGuardrail(await load(withField(field))));
  });

  for (const [name, index, message] of [
    [
      'a pattern that takes long',
      withField("{ type: 'array', items: { type: 'string', pattern: '(.{0,300}a){2}' } }"),
      /one\.config\.properties\.a\.items\.pattern: "\(\.\{0,300\}a\)\{2\}" is not accepted .* take too long together/,
    ],
    [
      'patterns that take long together',
      withField("{ allOf: Array(100).fill({ pattern: '^[a-z]{3}$' }) }"),
      /one\.config\.properties\.a\.allOf\[64\]\.pattern: .* take too long together/,
    ],
    [
      'a pattern that looks around',
      withField("{ type: 'array', items: { type: 'string', pattern: '^(?=a)' } }"),
      /one\.config\.properties\.a\.items\.pattern: "\^\(\?=a\)" is not accepted/,
    ],
    ['a pattern that is none', withField("{ pattern: '(' }"), /one\.config\.properties\.a\.pattern: /],
    [
      'a pattern for names that takes long',
      withField("{ patternProperties: { '(.{0,300}a){2}': {} } }"),
      /one\.config\.properties\.a\.patternProperties: /,
    ],
    [
      'items that are compared with each other',
      withField("{ anyOf: [{ type: 'array', uniqueItems: true }] }"),
      /one\.config\.properties\.a\.anyOf\[0\]\.uniqueItems is not accepted/,
    ],
    [
      'a schema of many values',
      withField('{ enum: Array.from({ length: 2001 }, (_, at) => at) }'),
      /more than 2000 values/,
    ],
    ['many options', withField('{ anyOf: Array(33).fill({}) }'), /more than 32 options/],
    ['large defaults', withField('{ default: Array(101).fill(0) }'), /defaults .* more than 100 values/],
    [
      'a deep schema',
      withField("Array(50).fill(0).reduce((items) => ({ items }), { type: 'null' })"),
      /one\.config: the schema is nested more than 40/,
    ],
    [
      'credentials that take long',
      checkOf('trust: undefined').replace(
        '{ checks',
        () => "{ credentials: { type: 'object', properties: { a: { pattern: '(.{0,300}a){2}' } } }, checks",
      ),
      /credentials\.properties\.a\.pattern/,
    ],
    ['code that does not parse', 'export default {', /index\.ts, line 1, column 17/],
    ['code that throws', "throw new Error('early')", /index\.ts: words@1\.2\.0 threw Error: early/],
    ['no checks', 'export default { checks: {} }', /at least one check/],
    ['a function', 'export default () => {}', /what the unit declares is not accepted/],
    ['a check that cannot be run', checkOf('run: undefined'), /checks\.one\.functions/],
    ['a check without a title', checkOf('title: undefined'), /checks\.one\.title/],
    ['phases that there are not', checkOf("phases: ['later']"), /checks\.one\.phases\[0\]/],
    ['a config that is no object', checkOf("config: { type: 'string' }"), /checks\.one\.config/],
    [
      'a config that refers to others',
      checkOf("config: { type: 'object', properties: { a: { $ref: '#/x' } } }"),
      /one\.config: \$ref is not accepted/,
    ],
    [
      'a schema that names itself',
      checkOf("config: { $id: 'x', type: 'object', properties: {} }"),
      /one\.config: \$id is not accepted/,
    ],
    ['a declaration of its own', checkOf('trust: true'), /checks\.one\.trust is not a known key/],
    [
      'a check named as no check is',
      "export default { checks: { 'a b': { title: 'x', config: { type: 'object', properties: {} }, phases: ['beforeRequest'], run() {} } } }",
      /by a name of letters/,
    ],
    ['a loop', 'for (;;);', /did not end in its time/],
  ] as const) {
    it(`is refused: ${name}`, async () => {
      await assert.rejects(
        load(index),
        (error) =>
          GatewayError.is(error) &&
          error.code === 'invalid_config' &&
          message.test(error.message) &&
          error.message.includes('index.ts'),
      );
    });
  }
});

// The same units run trusted and sandboxed; these call vendors, edit, and build their schemas in different ways.
for (const name of ['lakera', 'tavily']) {
  it(`the guardrail ${name} conforms in the sandbox as it does outside`, async () => {
    const folder = join(import.meta.dirname, '..', '..', '..', 'guardrails', name);
    const unit = JSON.parse(readFileSync(join(folder, 'plugin.json'), 'utf8')) as Manifest;
    const definition = await loadSandboxedGuardrail({ manifest: unit, folder }, sandbox);
    const { results } = await conform({ folder, manifest: unit, definition, sandboxed: true });
    assert.deepEqual(
      results.filter(({ pass }) => !pass).map(({ group, name: what, detail }) => `${group} ${what}: ${detail}`),
      [],
    );
  });
}
