import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  Checks,
  Directory,
  FetchReply,
  FetchRequest,
  Manifest,
  PluginLog,
  RequestContext,
  RequestNote,
} from 'portcullis/sdk';
import { createTestCounters, createTestMetrics } from 'portcullis/sdk/testing';
import { type Capabilities, createHost } from '../../../core/loader/host.ts';
import { manifestOf, refusalOf } from './unit-folders.ts';

const quiet: PluginLog = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
const checks: Checks = {
  summaries: [],
  find: () => undefined,
  ready: () => {
    throw new Error('no check is run here');
  },
  checkCredentials: () => {},
};
const reply: FetchReply = { status: 200, headers: {}, body: new Uint8Array() };

function hostOf(permissions?: Manifest['permissions'], changes: Partial<Capabilities> = {}) {
  const sent: [string, FetchRequest][] = [];
  const capabilities: Capabilities = {
    log: () => quiet,
    now: () => 42,
    random: () => 0.5,
    sleep: async () => undefined,
    newId: () => 'id-1',
    env: (name) => (name === 'ACME_KEY' ? 'value' : undefined),
    file: {
      keys: [],
      configs: { a: { provider: 'x' } },
      providers: ['main'],
      guardrails: {},
      defaultGuardrails: { default_guardrails: { input: ['a'] } },
      guardrailCredentials: {},
      defaultConfig: 'a',
    },
    note: () => {},
    checks,
    counters: createTestCounters(() => 42),
    metrics: createTestMetrics(),
    logs: { write: () => {}, feedback: () => {}, caughtUp: async () => {} },
    price: () => undefined,
    embed: async () => [1],
    redis: () => undefined,
    send: async (url, request) => {
      sent.push([url.href, request]);
      return reply;
    },
    ...changes,
  };
  const manifest = manifestOf('acme', permissions === undefined ? {} : { permissions }) as unknown as Manifest;
  return { host: createHost(manifest, capabilities), sent };
}

describe('a host', () => {
  it('gives clock, chance, names and log of the gateway', () => {
    const asked: string[] = [];
    const { host } = hostOf(undefined, {
      log: (plugin) => {
        asked.push(plugin);
        return quiet;
      },
    });
    assert.deepEqual([host.name, host.now(), host.random(), host.newId(), asked], ['acme', 42, 0.5, 'id-1', ['acme']]);
  });

  const refused: readonly [string, (host: ReturnType<typeof hostOf>['host']) => unknown, RegExp][] = [
    ['a variable', (host) => host.env('ACME_KEY'), /acme .*permissions\.env: ACME_KEY/],
    ['keys', (host) => host.file('keys'), /permissions\.file: keys/],
    ['configs', (host) => host.file('configs'), /permissions\.file: configs/],
    ['the default config', (host) => host.defaultConfig(), /permissions\.file: configs/],
    ['guardrails', (host) => host.file('guardrails'), /permissions\.file: guardrails/],
    ['counters', (host) => host.counters, /permissions\.counters/],
    ['the request logs', (host) => host.logs, /permissions\.logs/],
    ['the shared Redis', (host) => host.redis, /permissions\.redis/],
    ['which of them are defaults', (host) => host.file('defaultGuardrails'), /permissions\.file: guardrails/],
    ['the list of checks', (host) => host.checks.summaries, /permissions\.checks/],
    ['a check', (host) => host.checks.ready('a.b', {}, 'parameters'), /permissions\.checks/],
    [
      'a place of the network',
      (host) => host.fetch('https://a.example/x?key=secret', { timeoutMs: 1 }),
      /permissions\.net: a\.example:443/,
    ],
  ];
  for (const [what, use, message] of refused) {
    it(`refuses ${what} without a grant, naming plugin and permission`, async () => {
      const error = await refusalOf(() => use(hostOf().host));
      assert.equal(error.code, 'forbidden');
      assert.match(error.message, message);
      assert.ok(!error.message.includes('secret'));
    });
  }

  it('gives what was granted, and no more', async () => {
    const { host } = hostOf({ env: ['ACME_KEY'], file: ['configs'] });
    assert.equal(host.env('ACME_KEY'), 'value');
    assert.deepEqual([host.file('configs'), host.defaultConfig()], [{ a: { provider: 'x' } }, 'a']);
    assert.equal((await refusalOf(() => host.file('keys'))).code, 'forbidden');
    assert.equal((await refusalOf(() => host.env('OTHER'))).code, 'forbidden');
  });

  it('tells with the guardrails which of them are defaults', () => {
    const { host } = hostOf({ file: ['guardrails'] });
    assert.deepEqual(host.file('defaultGuardrails'), { default_guardrails: { input: ['a'] } });
  });

  it('gives the checks, and passes notes on', () => {
    const noted: [RequestContext, RequestNote][] = [];
    const { host } = hostOf({ checks: true }, { note: (...entry) => void noted.push(entry) });
    const request = {} as RequestContext;
    host.note(request, { feedback: [] });
    assert.equal(host.checks, checks);
    assert.deepEqual(noted, [[request, { feedback: [] }]]);
  });

  const places: readonly [string, string, boolean][] = [
    ['a.example:443', 'https://a.example/v1', true],
    ['a.example:443', 'https://A.EXAMPLE/v1', true],
    ['a.example:443', 'http://a.example/', false],
    ['a.example:80', 'http://a.example/', true],
    ['a.example:443', 'https://a.example:8443/', false],
    ['a.example:443', 'https://a.example.evil/', false],
    ['a.example:443', 'https://a.example./', false],
    ['*.a.example:443', 'https://x.a.example/', true],
    ['*.a.example:443', 'https://x.y.a.example/', true],
    ['*.a.example:443', 'https://a.example/', false],
    ['*.a.example:443', 'https://xa.example/', false],
    ['127.0.0.1:80', 'http://0x7f000001/', true],
    ['a.example:*', 'https://a.example:8443/', true],
    ['a.example:*', 'https://b.example/', false],
    ['*.a.example:*', 'http://x.a.example:81/', true],
    ['*:443', 'https://b.example/', true],
    ['*:443', 'http://b.example/', false],
    ['*:*', 'http://[::1]:8080/', true],
  ];
  for (const [entry, url, allowed] of places) {
    it(`${allowed ? 'lets' : 'does not let'} ${entry} cover ${url}`, async () => {
      const { host, sent } = hostOf({ net: [entry] });
      if (allowed) assert.equal(await host.fetch(url, { timeoutMs: 1000 }), reply);
      else assert.equal((await refusalOf(() => host.fetch(url, { timeoutMs: 1000 }))).code, 'forbidden');
      assert.equal(sent.length, allowed ? 1 : 0);
    });
  }

  const malformed: readonly [string, FetchRequest, string][] = [
    ['/relative', { timeoutMs: 1 }, 'url'],
    ['file:///etc/passwd', { timeoutMs: 1 }, 'url'],
    ['https://user:secret@a.example/', { timeoutMs: 1 }, 'url'],
    ['https://a.example/', { timeoutMs: 0 }, 'timeoutMs'],
    ['https://a.example/', { timeoutMs: 600_001 }, 'timeoutMs'],
    ['https://a.example/', { timeoutMs: Number.NaN }, 'timeoutMs'],
    ['https://a.example/', { timeoutMs: 1, maxBytes: 0 }, 'maxBytes'],
  ];
  for (const [url, request, param] of malformed) {
    it(`refuses to fetch ${url} with ${JSON.stringify(request)}`, async () => {
      const { host, sent } = hostOf({ net: ['a.example:443'] });
      const error = await refusalOf(() => host.fetch(url, request));
      assert.deepEqual([error.code, error.param, sent.length], ['bad_request', param, 0]);
      assert.ok(!error.message.includes('secret'));
    });
  }

  it('looks up the kinds that are granted, and no others', async () => {
    const asked: string[][] = [];
    const get = (...path: string[]) => {
      asked.push(path);
      return { organisationId: 'org-1' };
    };
    const changes = { directory: { get } as unknown as Directory, checksum: () => 'ABCDEFGH' };
    const { host } = hostOf({ directory: ['key', 'config'] }, changes);
    assert.deepEqual(await host.directory('config', 'org-1', 'ws-1', 'main'), { organisationId: 'org-1' });
    assert.deepEqual(
      [asked, host.controlled, host.checksum('text')],
      [[['config', 'org-1', 'ws-1', 'main']], true, 'ABCDEFGH'],
    );
    const error = await refusalOf(() => host.directory('provider', 'org-1', 'ws-1', 'main'));
    assert.equal(error.code, 'forbidden');
    assert.match(error.message, /permissions\.directory: provider/);
    const other = hostOf({ directory: ['config'] }, changes).host;
    assert.match((await refusalOf(() => other.checksum('text'))).message, /permissions\.directory: key or session/);
  });

  it('knows no record where there is no control plane', async () => {
    const { host } = hostOf({ directory: ['key'] });
    assert.deepEqual(
      [host.controlled, await host.directory('key', 'x'), host.checksum('x')],
      [false, undefined, undefined],
    );
  });

  it('keeps the slots of plugins and of requests apart', () => {
    const { host } = hostOf();
    const [one, two] = [{} as RequestContext, {} as RequestContext];
    const [first, second] = [host.slot<number>(), host.slot<number>()];
    first.set(one, 1);
    second.set(one, 2);
    assert.deepEqual([first.get(one), second.get(one), first.get(two)], [1, 2, undefined]);
  });
});
