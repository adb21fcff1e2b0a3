import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { checkFixtureNames, readCheckFixture } from 'portcullis/sdk/testing';

const run = promisify(execFile);
const sdk = JSON.stringify(new URL('../../../sdk/index.ts', import.meta.url).href);
const testing = JSON.stringify(new URL('../../../sdk/testing/check-fixtures.ts', import.meta.url).href);

/** A guardrail whose check asks twice; `body` is what it does with the two answers. */
const definition = (body: string) => `guardrail({
  credentials: schema.Object({ apiKey: secret(), region: schema.Optional(setting()) }),
  checks: {
    judge: check({
      title: 'Judge',
      config: schema.Object({ level: schema.Integer({ default: 2 }) }, { additionalProperties: false }),
      phases: ['beforeRequest'],
      remote: { timeoutMs: 5000 },
      run: async ({ text }, { level }, host) => {
        const { apiKey } = host.credentials;
        const ask = (path, body) =>
          callJson(host, { vendor: 'Vendor', url: 'https://api.vendor.test' + path, headers: { 'X-Key': apiKey }, body });
        ${body}
      },
    }),
  },
})`;

const careful = `
  const { session } = await ask('/sessions?a=b', {});
  if (typeof session !== 'string') throw new GatewayError('check_failed', 'Vendor gave no session.');
  const { flagged } = await ask('/judge', { session, text, level });
  if (typeof flagged !== 'boolean') throw new GatewayError('check_failed', 'Vendor gave no verdict.');
  return { pass: !flagged, data: { flagged } };`;

const fixture = {
  source: 'https://docs.vendor.test',
  check: 'judge',
  credentials: { apiKey: 'test-key-1', region: 'eu' },
  input: { text: 'Hi' },
  exchanges: [
    {
      request: {
        method: 'POST',
        url: 'https://api.vendor.test/sessions?a=b',
        headers: { 'x-key': 'test-key-1' },
        body: {},
      },
      reply: { status: 201, body: { session: 's1' } },
    },
    {
      request: { method: 'POST', url: 'https://api.vendor.test/judge', body: { session: 's1', text: 'Hi', level: 2 } },
      reply: { status: 200, body: { flagged: true } },
    },
  ],
  verdict: { pass: false, data: { flagged: true } },
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-guardrail-'));
  await mkdir(join(folder, 'fixtures'));
  const permissions = { net: ['api.vendor.test:443'] };
  const manifest = { name: 'vendor', kind: 'guardrail', version: '1.0.0', sdk: '^1.0.0', title: 'Vendor', permissions };
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(manifest));
  await write('judge.flagged.json', fixture);
});
afterEach(() => rm(folder, { recursive: true }));

function write(name: string, value: unknown): Promise<void> {
  return writeFile(join(folder, 'fixtures', name), JSON.stringify(value));
}

async function tested(body: string): Promise<{ readonly passed: boolean; readonly output: string }> {
  const script = join(folder, 'run.test.mts');
  await writeFile(
    script,
    `import { callJson, check, GatewayError, guardrail, schema, secret, setting } from ${sdk};
     import { testGuardrailFixtures } from ${testing};
     testGuardrailFixtures(${JSON.stringify(folder)}, ${definition(body)});`,
  );
  // The runner refuses to run inside another one unless this variable is gone.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', script], { env });
    return { passed: true, output: stdout };
  } catch (error) {
    return { passed: false, output: String((error as { stdout?: string }).stdout) };
  }
}

describe('the fixtures of guardrails', () => {
  it('pass for a check that asks as recorded and judges nothing but an answer', async () => {
    const { passed, output } = await tested(careful);
    assert.ok(passed, output);
    assert.match(output, /# pass 22/);
  });

  it('have models fail as well', async () => {
    const manifest = { name: 'vendor', kind: 'guardrail', version: '1.0.0', sdk: '^1.0.0', title: 'Vendor' };
    await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...manifest, permissions: { models: true } }));
    const asked = { check: 'judge', answers: ['yes', 'no'], verdict: { pass: false, data: { said: ['yes', 'no'] } } };
    await write('judge.flagged.json', asked);
    const question = "{ model: 'a/b', system: '', user: text, maxTokens: 1 }";
    const judging = (guard: string) => `
      const said = [await host.ask(${question}), await host.ask(${question})];
      ${guard}
      return { pass: false, data: { said } };`;
    const strict =
      "if (!said.every((one) => /^(yes|no)$/.test(one))) throw new GatewayError('check_failed', 'No answer.');";
    const careless = await tested(judging(''));
    assert.match(careless.output, /not ok .* gives no verdict on model-says-nothing at call 2/);
    const { passed, output } = await tested(judging(strict));
    assert.ok(passed, output);
    assert.match(output, /# pass 12/);
  });

  it('take calls that run side by side in any order', async () => {
    const exchanges = fixture.exchanges.toReversed().map((exchange, at) => ({
      ...exchange,
      request: { ...exchange.request, body: { at }, url: 'https://api.vendor.test/x' },
      reply: { status: 200, body: { flagged: at === 0 } },
    }));
    await write('judge.flagged.json', { ...fixture, exchanges });
    const { passed, output } = await tested(`
      const [one, two] = await Promise.all([ask('/x', { at: 1 }), ask('/x', { at: 0 })]);
      if (one.flagged !== false || two.flagged !== true) throw new GatewayError('check_failed', 'No verdict.');
      return { pass: false, data: { flagged: true } };`);
    assert.ok(passed, output);
  });

  const faults: readonly (readonly [string, (body: string) => string, RegExp])[] = [
    [
      'a verdict in spite of a fault',
      (body) => `try { ${body} } catch { return { pass: true }; }`,
      /It gave a verdict: \{"pass":true\}/,
    ],
    [
      'a field that is not looked at',
      (body) => body.replace("if (typeof flagged !== 'boolean')", 'if (false)'),
      /not ok .* other-shape at call 2/,
    ],
    ['an error of no code', (body) => body.replaceAll('new GatewayError(', 'new TypeError('), /no GatewayError/],
    ['another URL', (body) => body.replace('/judge', '/jugde'), /jugde/],
    ['another body', (body) => body.replace('session, text, level', 'session, text'), /not ok .* asks and judges/],
    [
      'a call that is not recorded',
      (body) => body.replace('return {', "await ask('/more', {}).catch(() => {}); return {"),
      /more was called, which is not recorded/,
    ],
    [
      'a call that is missing',
      () => 'return { pass: false, data: { flagged: true } };',
      /sessions\?a=b was not called/,
    ],
    ['other data', (body) => body.replace('data: { flagged }', 'data: { flagged: 1 }'), /not ok .* asks and judges/],
    [
      'a secret in an error',
      (body) => `try { ${body} } catch (cause) { throw new GatewayError('check_failed', 'Key ' + apiKey, { cause }); }`,
      /A credential stands in the error/,
    ],
    [
      'a secret in the log',
      (body) => `host.log.info('asked', { key: encodeURIComponent(apiKey) }); ${body}`,
      /A credential stands in the log/,
    ],
    [
      'a secret in the verdict',
      (body) => body.replace('data: {', 'why: apiKey, data: {'),
      /A credential stands in the verdict/,
    ],
    [
      'a place that is not granted',
      (body) => body.replace("'/judge'", "':444/judge'"),
      /permissions\.net: api\.vendor\.test:444/,
    ],
  ];
  for (const [what, change, message] of faults) {
    it(`fail on ${what}`, async () => {
      const { passed, output } = await tested(change(careful));
      assert.ok(!passed, output);
      assert.match(output, message);
    });
  }

  it('are needed for every check that calls out', async () => {
    await rm(join(folder, 'fixtures'), { recursive: true });
    const { passed, output } = await tested(careful);
    assert.ok(!passed);
    assert.match(output, /not ok .* has a fixture for every check that calls out/);
  });
});

describe('reading a fixture of a guardrail', () => {
  it('names the files', () => assert.deepEqual(checkFixtureNames(folder), ['judge.flagged.json']));
  it('finds none where there is no folder', () => assert.deepEqual(checkFixtureNames(join(folder, 'none')), []));
  const broken: readonly (readonly [string, object, RegExp])[] = [
    ['a field that is unknown', { verdicts: {} }, /judge\.flagged\.json: it \(verdicts\)/],
    ['a fault that is unknown', { answered: ['fire'] }, /\/answered\/0/],
    ['a name of another check', { check: 'other' }, /must begin with other/],
    [
      'a status that is none',
      { exchanges: [{ ...fixture.exchanges[0], reply: { status: 99 } }] },
      /\/exchanges\/0\/reply\/status/,
    ],
  ];
  for (const [what, change, message] of broken) {
    it(`refuses ${what}`, async () => {
      await write('judge.flagged.json', { ...fixture, ...change });
      assert.throws(() => readCheckFixture(folder, 'judge.flagged.json'), message);
    });
  }
});
