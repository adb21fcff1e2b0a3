import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hooks, type Host, type JsonObject, type Manifest, plugin, schema, type TSchema } from 'portcullis/sdk';
import type { PluginEntry } from '../../../core/loader/load.ts';
import { orderByPhase, setupPlugins } from '../../../core/loader/plugins.ts';
import { createRegistry } from '../../../core/loader/registry.ts';
import { manifestOf, refusalOf } from './unit-folders.ts';

const hostFor = (manifest: Manifest) => ({ name: manifest.name }) as Host;

interface Sample {
  readonly phases?: readonly string[];
  readonly version?: string;
  readonly config?: TSchema;
  readonly setup?: (config: unknown, host: Host) => Hooks | Promise<Hooks>;
}

function entry(
  name: string,
  { phases = ['log'], version = '1.0.0', config = schema.Object({}), setup = () => ({ log() {} }) }: Sample = {},
): PluginEntry {
  const manifest = manifestOf(name, { phases, version, serves: ['cache'] }) as unknown as Manifest;
  return { manifest, folder: `/plugins/${name}`, trust: 'built-in', definition: plugin({ config, setup }) };
}

const registryOf = (...entries: readonly PluginEntry[]) => createRegistry('plugin', entries);

describe('setting up plugins', () => {
  const strict = schema.Object(
    { times: schema.Integer({ minimum: 1, default: 3 }), word: schema.Optional(schema.String()) },
    { additionalProperties: false },
  );

  it('gives setup a valid config with defaults, its host, and leaves the file as it was', async () => {
    const seen: unknown[] = [];
    const one = entry('one', {
      config: strict,
      setup: (config, host) => {
        seen.push(config, host.name);
        return { log() {} };
      },
    });
    const config = Object.freeze({ word: 'w' });
    const [loaded] = await setupPlugins({ log: [{ plugin: 'one', config }] }, registryOf(one), hostFor);
    assert.deepEqual(seen, [{ times: 3, word: 'w' }, 'one']);
    assert.deepEqual(config, { word: 'w' });
    assert.deepEqual([loaded?.name, loaded?.major, loaded?.version, loaded?.serves], ['one', 1, '1.0.0', ['cache']]);
  });

  it('sets a plugin of several phases up once, with the config of whichever entry gives it', async () => {
    let setups = 0;
    const both = entry('both', {
      phases: ['admit', 'log'],
      config: strict,
      setup: (config) => {
        setups += 1;
        assert.deepEqual(config, { times: 7 });
        return { admit() {}, log() {} };
      },
    });
    const listed = { admit: [{ plugin: 'both' }], log: [{ plugin: 'both@1', config: { times: 7 } }] };
    const loaded = await setupPlugins(listed, registryOf(both), hostFor);
    assert.deepEqual([setups, loaded.length], [1, 1]);
  });

  it('orders the plugins of each phase as they are listed', async () => {
    const registry = registryOf(entry('a'), entry('b'), entry('b', { version: '2.0.0' }));
    const listed = { log: [{ plugin: 'b' }, { plugin: 'a' }, { plugin: 'b@1' }] };
    const order = orderByPhase(listed, registry, await setupPlugins(listed, registry, hostFor));
    assert.deepEqual(
      order.log.map(({ name, major }) => `${name}@${major}`),
      ['b@2', 'a@1', 'b@1'],
    );
    assert.deepEqual(order.attempt, []);
  });

  const refusedConfigs: readonly [JsonObject, RegExp][] = [
    [
      { tims: 1 },
      /phases\.log\[0\]\.config: the config of the plugin one@1: tims is not a known key\. Did you mean times\?/,
    ],
    [{ times: 'very-secret' }, /times must be an integer of at least 1, not a string/],
    [{ times: 0 }, /times must be an integer of at least 1/],
  ];
  for (const [config, message] of refusedConfigs) {
    it(`refuses the config ${JSON.stringify(config)} before any plugin is set up`, async () => {
      const setup = () => assert.fail('it was set up');
      const registry = registryOf(entry('one', { config: strict, setup }), entry('zero', { setup }));
      const error = await refusalOf(() =>
        setupPlugins({ log: [{ plugin: 'one', config }, { plugin: 'zero' }] }, registry, hostFor),
      );
      assert.deepEqual([error.code, error.param], ['invalid_config', 'phases.log[0].config']);
      assert.match(error.message, message);
      assert.ok(!error.message.includes('very-secret'));
    });
  }

  const refusedLists: readonly [string, Parameters<typeof setupPlugins>[0], RegExp][] = [
    [
      'an unknown plugin',
      { log: [{ plugin: 'onee' }] },
      /phases\.log\[0\]: No plugin has the name "onee"\. Did you mean one\?/,
    ],
    ['an unknown major', { log: [{ plugin: 'one@4' }] }, /There is one@1/],
    [
      'a phase that the plugin does not implement',
      { admit: [{ plugin: 'one' }] },
      /does not implement this phase; it implements log/,
    ],
    [
      'a plugin twice in a phase',
      { log: [{ plugin: 'one' }, { plugin: 'one@1' }] },
      /phases\.log\[1\]: one@1 is listed twice/,
    ],
    [
      'two configs for one plugin',
      { admit: [{ plugin: 'both', config: {} }], log: [{ plugin: 'both', config: {} }] },
      /stands at phases\.admit\[0\]\.config already/,
    ],
  ];
  for (const [what, listed, message] of refusedLists) {
    it(`refuses ${what}`, async () => {
      const registry = registryOf(entry('one'), entry('both', { phases: ['admit', 'log'] }));
      const error = await refusalOf(() => setupPlugins(listed, registry, hostFor));
      assert.equal(error.code, 'invalid_config');
      assert.match(error.message, message);
    });
  }

  const refusedHooks: readonly [string, unknown, RegExp][] = [
    ['no hook for a phase of the manifest', {}, /names the phase log in plugin\.json, but setup returned no hook/],
    [
      'a hook that the manifest does not name',
      { log() {}, admit() {} },
      /returned a hook admit, which is not among the phases/,
    ],
    ['a hook that is no function', { log: true }, /hook log that is no function/],
    ['a misspelt hook', { log() {}, atempt() {} }, /hook atempt, which is no phase \(did you mean attempt\?\)/],
    ['an open that is a word', { log() {}, open: 'yes' }, /`open` that is neither true nor false/],
    ['a close that is no function', { log() {}, close: 1 }, /`close` that is no function/],
    ['nothing', undefined, /returned no object of hooks/],
  ];
  for (const [what, hooks, message] of refusedHooks) {
    it(`refuses a setup that returns ${what}`, async () => {
      const registry = registryOf(entry('one', { setup: () => hooks as Hooks }));
      const error = await refusalOf(() => setupPlugins({ log: [{ plugin: 'one' }] }, registry, hostFor));
      assert.match(error.message, message);
      assert.match(error.message, /one@1 \(\/plugins\/one\)/);
    });
  }

  it('closes those already set up, last first, when a later one fails', async () => {
    const closed: string[] = [];
    const closing = (name: string, fails = false) =>
      entry(name, {
        setup: () => ({
          log() {},
          close() {
            closed.push(name);
            if (fails) throw new Error('close failed too');
          },
        }),
      });
    const broken = entry('c', { setup: async () => Promise.reject(new Error('no disk')) });
    const registry = registryOf(closing('a'), closing('b', true), broken);
    const error = await refusalOf(() =>
      setupPlugins({ log: [{ plugin: 'a' }, { plugin: 'b' }, { plugin: 'c' }] }, registry, hostFor),
    );
    assert.match(error.message, /c@1 could not be set up: no disk/);
    assert.deepEqual(closed, ['b', 'a']);
  });

  it('closes a plugin whose own hooks are refused', async () => {
    let closed = 0;
    const one = entry('one', {
      setup: () => ({
        close() {
          closed += 1;
        },
      }),
    });
    await refusalOf(() => setupPlugins({ log: [{ plugin: 'one' }] }, registryOf(one), hostFor));
    assert.equal(closed, 1);
  });
});
