import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { effectiveConfig, loadConfig } from '../../../core/config/effective.ts';
import { readEnvironment } from '../../../core/config/env.ts';
import type { OperatorFile } from '../../../core/config/file-schema.ts';

const none = readEnvironment({});

describe('the effective config', () => {
  it('holds the documented defaults where nothing is set', () => {
    assert.deepEqual(effectiveConfig({}, none), {
      server: {
        port: 8787,
        bodyLimit: 33_554_432,
        drainTimeoutMs: 30_000,
        workers: 1,
        headerVendors: ['gw'],
        cors: { enabled: false, origins: ['*'] },
        trustedHosts: [],
        trustedProxyHops: 0,
        timeouts: { connectMs: 10_000, firstByteMs: 300_000, gapMs: 120_000, totalMs: 3_600_000 },
        maxUploadBytes: 1_073_741_824,
        machineIdentity: 'operator',
        maxReplyBytes: 134_217_728,
        customHostMaxReplyBytes: 33_554_432,
      },
      caps: { root: 100, conditionalRoot: 1000, nested: 50 },
      log: { level: 'info' },
      pluginFolders: [],
      signingKeys: [],
      phases: {},
      providers: {},
      configs: {},
      keys: [],
      guardrails: {},
      guardrailCredentials: {},
      limits: { whenRedisAway: 'open', redisTimeoutMs: 250 },
      metrics: { enabled: undefined, token: undefined },
      ledger: { askUsage: true, onDisconnect: 'count' },
    });
  });

  it('serves the echo config only where there is no file', () => {
    const { configs, defaultConfig } = effectiveConfig(undefined, none);
    assert.deepEqual([configs, defaultConfig], [{ echo: { provider: 'echo' } }, 'echo']);
    assert.equal(effectiveConfig({}, none).defaultConfig, undefined);
  });

  // Each setting that both the environment and the file give, and where it lands.
  const both: readonly [
    string,
    string,
    (value: unknown) => OperatorFile,
    (config: ReturnType<typeof effectiveConfig>) => unknown,
    unknown,
    unknown,
  ][] = [
    ['PORT', '1', (port) => ({ server: { port } }) as OperatorFile, ({ server }) => server.port, 2, 1],
    ['PORT', '0', (port) => ({ server: { port } }) as OperatorFile, ({ server }) => server.port, 2, 0],
    ['HOST', 'a', (host) => ({ server: { host } }) as OperatorFile, ({ server }) => server.host, 'b', 'a'],
    [
      'LIMITS_WHEN_REDIS_AWAY',
      'closed',
      (v) => ({ limits: { when_redis_away: v } }) as OperatorFile,
      ({ limits }) => limits?.whenRedisAway,
      'open',
      'closed',
    ],
    [
      'LIMITS_REDIS_TIMEOUT',
      '900',
      (v) => ({ limits: { redis_timeout: v } }) as OperatorFile,
      ({ limits }) => limits?.redisTimeoutMs,
      250,
      900,
    ],
    [
      'LEDGER_ASK_USAGE',
      'false',
      (v) => ({ ledger: { ask_usage: v } }) as OperatorFile,
      ({ ledger }) => ledger?.askUsage,
      true,
      false,
    ],
    [
      'LEDGER_ON_DISCONNECT',
      'drain',
      (v) => ({ ledger: { on_disconnect: v } }) as OperatorFile,
      ({ ledger }) => ledger?.onDisconnect,
      'count',
      'drain',
    ],
    [
      'HEADER_VENDORS',
      'a',
      (v) => ({ server: { header_vendors: v } }) as OperatorFile,
      ({ server }) => server.headerVendors,
      ['b'],
      ['a'],
    ],
    [
      'TRUSTED_CUSTOM_HOSTS',
      'a',
      (v) => ({ server: { trusted_hosts: v } }) as OperatorFile,
      ({ server }) => server.trustedHosts,
      ['b'],
      ['a'],
    ],
    [
      'REQUEST_TIMEOUT',
      '1',
      (v) => ({ server: { timeouts: { request: v } } }) as OperatorFile,
      ({ server }) => server.timeouts.requestMs,
      2,
      1,
    ],
    [
      'CONNECT_TIMEOUT',
      '1',
      (v) => ({ server: { timeouts: { connect: v } } }) as OperatorFile,
      ({ server }) => server.timeouts.connectMs,
      2,
      1,
    ],
    [
      'FIRST_BYTE_TIMEOUT',
      '1',
      (v) => ({ server: { timeouts: { first_byte: v } } }) as OperatorFile,
      ({ server }) => server.timeouts.firstByteMs,
      2,
      1,
    ],
    [
      'GAP_TIMEOUT',
      '1',
      (v) => ({ server: { timeouts: { gap: v } } }) as OperatorFile,
      ({ server }) => server.timeouts.gapMs,
      2,
      1,
    ],
    [
      'TOTAL_TIMEOUT',
      '1',
      (v) => ({ server: { timeouts: { total: v } } }) as OperatorFile,
      ({ server }) => server.timeouts.totalMs,
      2,
      1,
    ],
    [
      'MAX_BODY_BYTES',
      '1',
      (v) => ({ server: { body_limit: v } }) as OperatorFile,
      ({ server }) => server.bodyLimit,
      2,
      1,
    ],
    [
      'MAX_REPLY_BYTES',
      '1',
      (v) => ({ server: { max_reply_bytes: v } }) as OperatorFile,
      ({ server }) => server.maxReplyBytes,
      2,
      1,
    ],
    [
      'CUSTOM_HOST_MAX_REPLY_BYTES',
      '1',
      (v) => ({ server: { custom_host_max_reply_bytes: v } }) as OperatorFile,
      ({ server }) => server.customHostMaxReplyBytes,
      2,
      1,
    ],
    [
      'DRAIN_TIMEOUT',
      '1',
      (v) => ({ server: { drain_timeout: v } }) as OperatorFile,
      ({ server }) => server.drainTimeoutMs,
      2,
      1,
    ],
    ['LOG_LEVEL', 'warn', (level) => ({ log: { level } }) as OperatorFile, ({ log }) => log.level, 'error', 'warn'],
  ];
  for (const [name, text, file, read, inFile, inEnvironment] of both) {
    it(`puts ${name}=${text} before the file, and the file before the default`, () => {
      assert.deepEqual(read(effectiveConfig(file(inFile), readEnvironment({ [name]: text }))), inEnvironment);
      assert.deepEqual(read(effectiveConfig(file(inFile), none)), inFile);
    });
  }

  it('takes the caps from the environment', () => {
    const { caps } = effectiveConfig(
      {},
      readEnvironment({
        MAX_ROOT_CONFIG_TARGETS: '1',
        MAX_CONDITIONAL_ROOT_CONFIG_TARGETS: '2',
        MAX_NESTED_CONFIG_TARGETS: '3',
      }),
    );
    assert.deepEqual(caps, { root: 1, conditionalRoot: 2, nested: 3 });
  });

  it('brings plugins, providers and keys into their final form', () => {
    const config = effectiveConfig(
      {
        plugins: { folders: [{ path: '/x' }, { path: '/y', trust: 'trusted', require_signature: true }] },
        phases: { attempt: ['retry', { plugin: 'mine@1', config: { a: 1 } }], log: [] },
        providers: {
          main: { provider: 'acme', custom_host: 'https://a.example', models: ['m'], api_key: 'k', api_version: '2' },
        },
        keys: [{ name: 'a', sha256: 'AB'.repeat(32) }],
      },
      none,
    );
    assert.deepEqual(config.pluginFolders, [
      { path: '/x', trust: 'sandboxed', requireSignature: false },
      { path: '/y', trust: 'trusted', requireSignature: true },
    ]);
    assert.deepEqual(config.phases, {
      attempt: [{ plugin: 'retry' }, { plugin: 'mine@1', config: { a: 1 } }],
      log: [],
    });
    assert.deepEqual(config.providers, {
      main: {
        provider: 'acme',
        customHost: 'https://a.example',
        models: ['m'],
        settings: { api_key: 'k', api_version: '2' },
      },
    });
    assert.deepEqual(config.keys, [{ name: 'a', sha256: 'ab'.repeat(32) }]);
  });
});

describe('loading what the environment names', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portcullis-config-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('reads the file of PORTCULLIS_CONFIG, with variables from the same environment', async () => {
    const path = join(folder, 'own.yaml');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file substitutes it.
    await writeFile(path, 'server: { port: "${MY_PORT}" }');
    const loaded = await loadConfig(readEnvironment({ PORTCULLIS_CONFIG: path, MY_PORT: '4000' }));
    assert.deepEqual([loaded.path, loaded.config.server.port], [path, 4000]);
  });

  it('refuses a named file that is not there', async () => {
    await assert.rejects(loadConfig(readEnvironment({ PORTCULLIS_CONFIG: join(folder, 'gone.yaml') })), {
      code: 'invalid_config',
      param: 'PORTCULLIS_CONFIG',
    });
  });

  it('names file and line of every fault', async () => {
    const path = join(folder, 'bad.yaml');
    await writeFile(path, 'log:\n  level: x\nsever: {}\n');
    await assert.rejects(loadConfig(readEnvironment({ PORTCULLIS_CONFIG: path })), (error: Error) => {
      assert.deepEqual(
        error.message.split('\n').map((line) => line.slice(path.length, path.length + 4)),
        [':2:3', ':3:1'],
      );
      return true;
    });
  });
});
