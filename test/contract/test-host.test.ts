import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Manifest, plugin, schema } from 'portcullis/sdk';
import { createTestHost, runHook, setupPlugin, testOutcome, testRequest, testTarget } from 'portcullis/sdk/testing';

const manifest: Manifest = {
  name: 'sample',
  kind: 'plugin',
  version: '1.0.0',
  sdk: '^1.0.0',
  title: 'Sample',
  phases: ['prepare', 'attempt'],
  permissions: { net: ['*.partner.test:443'], env: ['SAMPLE'], file: ['keys'] },
};

const sample = plugin({
  config: schema.Object({ field: schema.String({ default: 'seed' }) }, { additionalProperties: false }),
  setup: ({ field }, host) => ({
    prepare: (target) => {
      host.log.info('prepared', { field });
      return { ...target.body, [field]: host.random() };
    },
    attempt: async (_, next) => {
      await host.sleep(1000);
      return next();
    },
  }),
});

describe('the test host', () => {
  it('runs hooks with defaults, chance and a log that is kept', async () => {
    const host = createTestHost({ manifest, random: [0.25, 0.75] });
    const hooks = await setupPlugin(sample, {}, host);
    const target = testTarget({ body: { model: 'm' } });
    assert.deepEqual(await runHook(hooks, 'prepare', target), { model: 'm', seed: 0.25 });
    assert.deepEqual(await runHook(hooks, 'prepare', target), { model: 'm', seed: 0.75 });
    assert.deepEqual(host.logged[0], { level: 'info', event: 'prepared', fields: { field: 'seed' } });
  });
  it('refuses a config that does not fit', async () => {
    await assert.rejects(setupPlugin(sample, { feild: 'x' }), /does not fit/);
  });
  it('says which hook is missing', async () => {
    const hooks = await setupPlugin(sample);
    await assert.rejects(runHook(hooks, 'admit', testRequest()), /no hook for the phase admit/);
  });
  it('lets time pass only when told to', async () => {
    const host = createTestHost({ now: 5000 });
    const hooks = await setupPlugin(sample, {}, host);
    let done = false;
    const running = runHook(hooks, 'attempt', testTarget(), async () => testOutcome({ status: 201 })).then(
      (outcome) => {
        done = true;
        return outcome;
      },
    );
    host.advance(999);
    await new Promise(setImmediate);
    assert.equal(done, false);
    host.advance(1);
    assert.equal((await running).status, 201);
    assert.equal(host.now(), 6000);
  });
  it('wakes a sleeper whose request is aborted', async () => {
    const leaving = new AbortController();
    const asleep = createTestHost().sleep(1000, leaving.signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(asleep, /gone/);
    await assert.rejects(createTestHost().sleep(1000, leaving.signal), /gone/);
  });
  it('grants what the manifest grants', async () => {
    const keys = [{ name: 'one', sha256: '0'.repeat(64) }];
    const reply = { status: 200, headers: {}, body: new Uint8Array() };
    const host = createTestHost({ manifest, env: { SAMPLE: 'value' }, file: { keys }, fetch: () => reply });
    assert.equal(host.env('SAMPLE'), 'value');
    assert.deepEqual(host.file('keys'), keys);
    assert.equal((await host.fetch('https://api.partner.test/x', { timeoutMs: 1 })).status, 200);
  });
  it('looks records up in the table that it was given', async () => {
    const entry = {
      organisationId: 'o',
      id: 'c',
      slug: 'main',
      name: 'Main',
      workspaceId: 'w',
      versionId: 'v',
      config: {},
    };
    const host = createTestHost({ directory: { config: { 'o/w/main': entry } }, checksum: () => '12345678' });
    assert.equal(await host.directory('config', 'o', 'w', 'main'), entry);
    assert.equal(await host.directory('config', 'o', 'w', 'toString'), undefined);
    assert.deepEqual([host.controlled, host.checksum('x')], [true, '12345678']);
    assert.equal(createTestHost().controlled, false);
  });
  it('reaches any place where the manifest says so', async () => {
    const reply = { status: 200, headers: {}, body: new Uint8Array() };
    const anywhere = { ...manifest, permissions: { net: ['*:*'] } };
    const host = createTestHost({ manifest: anywhere, fetch: () => reply });
    assert.equal((await host.fetch('http://elsewhere.test:8443/x', { timeoutMs: 1 })).status, 200);
  });
  const refused: readonly (readonly [string, (host: ReturnType<typeof createTestHost>) => unknown])[] = [
    ['another variable', (host) => host.env('OTHER')],
    ['another section', (host) => host.file('providers')],
    ['the default config', (host) => host.defaultConfig()],
    ['another host', (host) => host.fetch('https://partner.test.evil.test/', { timeoutMs: 1 })],
    ['a record', (host) => host.directory('provider', 'o', 'w', 'main')],
    ['the checksum', (host) => host.checksum('text')],
    ['another port', (host) => host.fetch('https://api.partner.test:8443/', { timeoutMs: 1 })],
  ];
  for (const [what, use] of refused) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(async () => use(createTestHost({ manifest })), { code: 'forbidden' });
    });
  }
  it('keeps state apart by request', () => {
    const slot = createTestHost().slot<number>();
    const [one, two] = [testRequest(), testRequest()];
    slot.set(one, 1);
    assert.deepEqual([slot.get(one), slot.get(two)], [1, undefined]);
  });
  it('reads controls from the headers', () => {
    assert.equal(testRequest({ headers: { 'x-gw-config': 'main' } }).control('config'), 'main');
  });
});
