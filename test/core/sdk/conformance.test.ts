import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AnyCheck,
  type CheckHost,
  callJson,
  check,
  GatewayError,
  guardrail,
  type Manifest,
  schema,
  secret,
  setting,
} from 'portcullis/sdk';
import { type ConformanceOptions, type ConformanceReport, conform } from 'portcullis/sdk/testing';

const closed = { additionalProperties: false };
const url = 'https://api.vendor.test/judge';

/** Finds a word; asks nobody. */
const local = check({
  title: 'Word',
  config: schema.Object(
    { word: schema.String({ maxLength: 20, default: 'zebra', description: 'What to find.' }) },
    closed,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  run: ({ text }, { word }) => ({ pass: !text.includes(word) }),
});

/** Asks a vendor. */
const remote = check({
  title: 'Vendor',
  config: schema.Object({}, closed),
  phases: ['beforeRequest'],
  remote: { timeoutMs: 5000 },
  run: async ({ text }, _config, host: CheckHost<{ apiKey: string }>) => {
    const headers = { 'x-key': host.credentials.apiKey };
    const { flagged } = await callJson(host, { vendor: 'Vendor', url, headers, body: { text } });
    if (typeof flagged !== 'boolean') throw new GatewayError('check_failed', 'Vendor gave no verdict.');
    return { pass: !flagged };
  },
});

const fixture = {
  credentials: { apiKey: 'test-key-1' },
  input: { text: 'Hi' },
  exchanges: [
    { request: { method: 'POST', url, body: { text: 'Hi' } }, reply: { status: 200, body: { flagged: false } } },
  ],
  verdict: { pass: true },
};

const credentials = schema.Object({ apiKey: secret(), region: schema.Optional(setting()) }, closed);
const calm: ConformanceOptions = { budgetMs: 60_000 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unit-'));
  await mkdir(join(folder, 'fixtures'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Given {
  readonly checks: Readonly<Record<string, AnyCheck>>;
  readonly manifest?: Partial<Manifest>;
  readonly fixtures?: Readonly<Record<string, object>>;
  readonly options?: ConformanceOptions;
  readonly credentials?: Parameters<typeof guardrail>[0]['credentials'];
}

async function reportOf({
  checks,
  manifest,
  fixtures = {},
  options = calm,
  credentials: asked,
}: Given): Promise<ConformanceReport> {
  for (const [name, one] of Object.entries(fixtures)) {
    const [check = ''] = name.split('.');
    await writeFile(join(folder, 'fixtures', `${name}.json`), JSON.stringify({ check, ...one }));
  }
  const definition = guardrail({ checks, ...(asked === undefined ? {} : { credentials: asked }) });
  // Names of units are lower case; the temporary folder's need not be.
  const plain: Manifest = { name: basename(folder), kind: 'guardrail', version: '1.0.0', sdk: '^1.0.0', title: 'Unit' };
  return conform({ folder, manifest: { ...plain, ...manifest }, definition }, options);
}

const broken = (report: ConformanceReport) =>
  report.results.filter(({ pass, name }) => !pass && name !== 'has a manifest that the gateway accepts');

describe('the conformance kit', () => {
  it('finds nothing wrong with checks that do as they should', async () => {
    const report = await reportOf({
      checks: { local, remote },
      credentials,
      manifest: { permissions: { net: ['api.vendor.test:443'] } },
      fixtures: { 'remote.pass': fixture, 'local.fail': { input: { text: 'A zebra.' }, verdict: { pass: false } } },
    });
    assert.deepEqual(broken(report), []);
    assert.deepEqual(
      report.results.filter(({ warning }) => warning),
      [],
    );
    const names = report.results.filter(({ group }) => group === 'local').map(({ name }) => name);
    assert.ok(names.includes('takes at most 60000 ms for 10 KB of text'));
  });

  it('warns of what is declared and not used, and of checks without fixtures', async () => {
    const report = await reportOf({
      checks: { local },
      manifest: { permissions: { net: ['api.vendor.test:443'], request: ['body'], models: true, sandbox: true } },
    });
    assert.deepEqual(broken(report), []);
    const warnings = report.results.filter(({ warning }) => warning).map(({ detail }) => detail);
    assert.match(warnings.join('\n'), /no fixture/);
    for (const unused of ['net: api.vendor.test:443', 'request: body', 'models', 'sandbox'])
      assert.ok(warnings.join('\n').includes(`permissions.${unused}`), unused);
  });

  const manifests: readonly (readonly [Partial<Manifest>, RegExp])[] = [
    [{ name: 'other' }, /name must be that of the folder/],
    [{ kind: 'plugin' }, /kind must be guardrail/],
    [{ version: '1.0' }, /version must be/],
    [{ sdk: '^2.0.0' }, /sdk must be a range that admits/],
    [{ title: '' }, /\/title/],
    [{ phases: ['log'] }, /phases and serves/],
  ];
  for (const [manifest, message] of manifests) {
    it(`refuses the manifest ${JSON.stringify(manifest)}`, async () => {
      const { pass, results } = await reportOf({ checks: {}, manifest });
      assert.equal(pass, false);
      assert.match(results.find(({ name }) => name.startsWith('has a manifest'))?.detail ?? '', message);
    });
  }

  const withRun = (run: AnyCheck['run'], more: Partial<AnyCheck> = {}): Given => ({
    checks: { bad: { ...local, ...more, run } },
  });
  const withConfig = (config: AnyCheck['config']): Given => ({ checks: { bad: { ...local, config } } });
  const asking = (run: AnyCheck['run']): Given => ({
    checks: { bad: { ...remote, run } },
    credentials,
    manifest: { permissions: { net: ['api.vendor.test:443'] } },
    fixtures: { 'bad.pass': fixture },
  });
  const text = schema.String({ maxLength: 9 });
  const found = /zebra|[a-z]{4}/g;
  const ended = new GatewayError('check_failed', 'It took too long.');
  const circle: Record<string, unknown> = {};
  circle.again = circle;
  const busy = () => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    return { pass: true };
  };

  const rows: readonly (readonly [what: string, given: Given, name: RegExp, detail: RegExp])[] = [
    [
      'open parameters',
      withConfig(schema.Object({})),
      /closed schema, bounded/,
      /parameters is an object that takes unknown keys/,
    ],
    [
      'a text without bounds',
      withConfig(schema.Object({ a: schema.Optional(schema.String()) }, closed)),
      /bounded/,
      /parameters\.a is a string without maxLength/,
    ],
    [
      'a pattern without bounds',
      withConfig(schema.Object({ a: schema.Optional(schema.String({ pattern: '^a+$' })) }, closed)),
      /bounded/,
      /parameters\.a/,
    ],
    [
      'a list without bounds',
      withConfig(schema.Object({ a: schema.Optional(schema.Array(schema.Union([text, schema.String()]))) }, closed)),
      /bounded/,
      /parameters\.a is a list.*\n.*parameters\.a\[\] is a string/,
    ],
    [
      'a secret among the parameters',
      withConfig(schema.Object({ apiKey: schema.Optional(text) }, closed)),
      /no secrets among them/,
      /apiKey must be a secret/,
    ],
    [
      'a credential that is not marked',
      { checks: {}, credentials: schema.Object({ clientSecret: setting() }, closed) },
      /marks the secret ones/,
      /clientSecret/,
    ],
    [
      'a credential that is marked in a list',
      {
        checks: {},
        credentials: schema.Object({ logins: schema.Array(schema.Object({ password: secret() }, closed)) }, closed),
      },
      /marks the secret ones/,
      /properties\.logins\.items\.properties\.password\.x-secret: only properties/,
    ],
    ['a unit without checks', { checks: {} }, /with checks in it/, /no check/],
    ['a check without a title', withRun(local.run as never, { title: ' ' }), /says what it is/, /title/],
    [
      'needed parameters without a fixture',
      withConfig(schema.Object({ a: text }, closed)),
      /example parameters/,
      /fixtures\/bad\.CASE\.json/,
    ],
    [
      'a check that calls out without a fixture',
      { checks: { bad: remote }, credentials },
      /example parameters/,
      /It calls out/,
    ],
    [
      'a fixture that does not fit',
      { checks: { bad: local }, fixtures: { 'bad.one': { parameters: { wrod: '' }, verdict: { pass: true } } } },
      /example parameters/,
      /bad\.one\.json: .*wrod/,
    ],
    [
      'a fixture of no check',
      { checks: { bad: local }, fixtures: { 'other.one': { verdict: { pass: true } } } },
      /fixtures that can be read/,
      /no check other/,
    ],
    [
      'a throw that is no GatewayError',
      withRun(({ text: given }) => ({ pass: encodeURIComponent(given) !== '' })),
      /whatever it is given/,
      /lone surrogates.*URIError/,
    ],
    [
      'a throw on texts that are cut',
      withRun(({ text: given }) => ({ pass: encodeURIComponent(given) !== '' })),
      /cut anywhere/,
      /URIError/,
    ],
    [
      'a pattern that takes for ever',
      { ...withRun(({ text: given }) => ({ pass: !/^(?:a|a)+$/.test(given) })), options: { ...calm, timeMs: 300 } },
      /in time, for hostile/,
      /"a" 50,000 times.*did not end in time|RangeError/,
    ],
    [
      'a promise that is never kept',
      { ...withRun(() => new Promise(() => {})), options: { ...calm, timeMs: 20 } },
      /whatever it is given/,
      /did not end in time/,
    ],
    [
      'a check that is slow on every input',
      {
        ...withRun(async () => {
          await delay(3);
          return { pass: true };
        }),
        options: { ...calm, allMs: 20 },
      },
      /whatever it is given/,
      /its runs had taken more than 20 ms together/,
    ],
    [
      'a run that the sandbox had to end',
      {
        ...withRun(({ text: given }) => {
          if (given.length > 40_000) throw ended;
          return { pass: true };
        }),
        options: { ...calm, endedByForce: (error) => error === ended },
      },
      /in time, for hostile/,
      /"a" 50,000 times.*had to be ended: It took too long\./,
    ],
    [
      'a run that the sandbox had to end because of a vendor',
      {
        ...asking(async (input, config, host: CheckHost<never>) => {
          try {
            return await remote.run(input, config as never, host);
          } catch {
            throw ended;
          }
        }),
        options: { ...calm, endedByForce: (error) => error === ended },
      },
      /no verdict when a vendor or a model fails/,
      /status-500 at call 1: It had to be ended\./,
    ],
    ['no verdict', withRun(() => ({}) as never), /verdicts that the runner takes/, /pass is true or false/],
    [
      'data that JSON does not know',
      withRun(() => ({ pass: true, data: { count: 1n } }) as never),
      /the runner takes/,
      /data that are no JSON/,
    ],
    [
      'data in circles',
      withRun(() => ({ pass: true, data: circle }) as never),
      /the runner takes/,
      /data that are no JSON/,
    ],
    [
      'a reason that is no text',
      withRun(() => ({ pass: false, why: 5 }) as never),
      /the runner takes/,
      /why that is no/,
    ],
    [
      'edits that are no list',
      withRun(() => ({ pass: true, edits: null }) as never),
      /the runner takes/,
      /are no list/,
    ],
    [
      'an edit that is none',
      withRun(() => ({ pass: true, edits: [null] }) as never, { edits: 'may' }),
      /the runner takes/,
      /edits\[0\], which is no object/,
    ],
    [
      'an error in circles',
      withRun(() => {
        throw Object.assign(new Error('No.'), { circle, count: 1n });
      }),
      /whatever it is given/,
      /no GatewayError: Error: No\./,
    ],
    [
      'edits that are not declared',
      withRun(() => ({ pass: true, edits: [{ message: 'user', at: 'end', add: '' }] })),
      /the runner takes/,
      /does not declare/,
    ],
    [
      'edits out of bounds',
      withRun(() => ({ pass: true, edits: [{ text: 0, start: 0, end: 100, with: '' }] }), { edits: 'may' }),
      /the runner takes/,
      /edits\[0\]/,
    ],
    [
      'data that grow with the text',
      withRun(({ text: given }) => ({ pass: true, data: [...given.slice(0, 40_000)] })),
      /the runner takes/,
      /65536 bytes/,
    ],
    [
      'a changed input',
      withRun(({ texts }) => ({ pass: (texts as unknown[]).sort().length === 0 })),
      /leaves its input alone/,
      /read only/,
    ],
    [
      'state that is kept',
      withRun(({ text: given }) => ({ pass: !found.test(given) })),
      /same verdict/,
      /ended otherwise/,
    ],
    [
      'a quotation',
      withRun(({ text: given }) => ({ pass: false, why: `It says ${given}.` })),
      /repeats no text/,
      /the why holds text/,
    ],
    [
      'a quotation in the log',
      withRun(({ text: given }, _, host: CheckHost) => {
        host.log.info('seen', { given });
        return { pass: true };
      }),
      /repeats no text/,
      /the log holds text/,
    ],
    [
      'a quotation in a log that JSON does not know',
      withRun(({ text: given }, _, host: CheckHost) => {
        host.log.info('seen', { given, count: 1n } as never);
        return { pass: true };
      }),
      /repeats no text/,
      /the log holds text/,
    ],
    [
      'metadata that are not declared',
      withRun(({ metadata }) => ({ pass: metadata.a === undefined })),
      /only what its manifest declares/,
      /permissions\.request: metadata/,
    ],
    [
      'headers that are not declared',
      withRun((_, __, host: CheckHost) => ({ pass: host.header('a') === undefined })),
      /only what its manifest declares/,
      /permissions\.request: credentials/,
    ],
    [
      'a place that is not declared',
      { ...asking(remote.run as never), manifest: {} },
      /only what its manifest declares/,
      /permissions\.net: api\.vendor\.test:443/,
    ],
    [
      'a model that is not declared',
      withRun(async (_, __, host: CheckHost) => ({
        pass: (await host.ask({ model: 'a/b', system: '', user: '', maxTokens: 1 })) === '',
      })),
      /only what its manifest declares/,
      /permissions\.models/,
    ],
    [
      'a verdict in spite of a fault',
      asking(async (input, config, host: CheckHost<never>) => {
        await Promise.allSettled([remote.run(input, config as never, host)]);
        return { pass: true };
      }),
      /no verdict when a vendor or a model fails/,
      /status-500 at call 1: It gave a verdict/,
    ],
    [
      'a verdict in spite of a model that rambles',
      {
        checks: {
          bad: {
            ...remote,
            run: async ({ text: user }, _, host: CheckHost) => {
              const said = await host.ask({ model: 'a/b', system: 'Is it good?', user, maxTokens: 9 });
              return { pass: !said.includes('bad') };
            },
          },
        },
        manifest: { permissions: { models: true } },
        fixtures: { 'bad.pass': { answers: ['good'], verdict: { pass: true } } },
      },
      /no verdict when a vendor or a model fails/,
      /model-rambles at call 1: It gave a verdict/,
    ],
    [
      'example parameters that would not be saved',
      {
        checks: {
          bad: {
            ...local,
            accept: async () => {
              throw new GatewayError('invalid_config', 'word is not accepted.');
            },
          },
        },
      },
      /when they are saved/,
      /word is not accepted/,
    ],
    [
      'credentials that the gateway would not take',
      {
        ...asking(remote.run as never),
        fixtures: { 'bad.pass': { ...fixture, credentials: { apikey: 'test-key-1' } } },
      },
      /that the gateway would take/,
      /bad\.pass\.json/,
    ],
    [
      'another verdict than recorded',
      { ...asking(remote.run as never), fixtures: { 'bad.pass': { ...fixture, verdict: { pass: false } } } },
      /as its fixtures record/,
      /bad\.pass\.json/,
    ],
    [
      'a credential in a verdict',
      asking(async (_, __, host: CheckHost<{ apiKey: string }>) => ({
        pass: true,
        data: btoa(host.credentials.apiKey),
      })),
      /keeps its credentials/,
      /the verdict holds a credential/,
    ],
    [
      'a credential in a URL',
      asking(async (_, __, host: CheckHost<{ apiKey: string }>) => ({
        pass: (await host.fetch(`${url}?key=${host.credentials.apiKey}`)).status === 0,
      })),
      /keeps its credentials/,
      /URL of a call holds a credential/,
    ],
    [
      'a secret that is too short to be found',
      { ...asking(remote.run as never), fixtures: { 'bad.pass': { ...fixture, credentials: { apiKey: 'k' } } } },
      /can be found again/,
      /6 characters/,
    ],
    [
      'a check that takes its time',
      { ...withRun(busy), options: { budgetMs: 0.5 } },
      /takes at most 0\.5 ms/,
      /three times in a row; allowed 0\.5 ms/,
    ],
  ];
  for (const [what, given, name, detail] of rows) {
    it(`finds ${what}`, async () => {
      const report = await reportOf(given);
      assert.equal(report.pass, false);
      const faults = broken(report);
      const fault = faults.find((result) => name.test(result.name));
      assert.ok(fault, faults.map((result) => `${result.name}: ${result.detail}`).join('\n'));
      assert.match(fault.detail, detail);
    });
  }
});
