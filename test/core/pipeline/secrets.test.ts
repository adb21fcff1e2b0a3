import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type Hooks, type PhaseName, phaseNames } from 'portcullis/sdk';
import { hookFaults } from '../../../core/loader/hook-checks.ts';
import { compilePipeline, type ReadyPlugin } from '../../../core/pipeline/compile.ts';
import { providerOf } from '../../support/directory.ts';
import { recordingLog } from '../../support/recording-log.ts';

const nothing = Object.fromEntries(phaseNames.map((phase) => [phase, []])) as unknown as Record<
  PhaseName,
  ReadyPlugin[]
>;

function pipelineOf(...hooks: readonly Hooks[]) {
  const plugins = hooks.map((hook, index) => ({
    name: `s${index}`,
    major: 1,
    version: '1.0.0',
    serves: [],
    hooks: hook,
  }));
  return compilePipeline(nothing, recordingLog().log, plugins);
}

const entry = providerOf('a', 'p');

describe('the secrets hook', () => {
  it('is asked of a plugin without any phase, with its own `this`, and gives its very object', () => {
    const kept = { api_key: 'k' };
    const hooks: Hooks & { readonly kept: object } = {
      kept,
      secrets() {
        return this.kept as typeof kept;
      },
    };
    assert.equal(pipelineOf(hooks).secrets(entry), kept);
  });

  it('is nothing where no plugin has it', () => {
    assert.equal(pipelineOf({}).secrets(entry), undefined);
  });

  it('fails with its own error, and with that of the plugin where it throws something else', async () => {
    const own = new GatewayError('secret_unavailable', 'The secret reference "r" cannot be read.');
    await assert.rejects(async () => pipelineOf({ secrets: () => Promise.reject(own) }).secrets(entry), own);
    const broken: Hooks = {
      secrets: () => {
        throw new Error('boom');
      },
    };
    await assert.rejects(async () => pipelineOf(broken).secrets(entry), { code: 'plugin_failed', message: /s0/ });
  });

  it('needs no phase in the manifest, but must be a function', () => {
    const manifest = { name: 's', kind: 'plugin', version: '1.0.0', sdk: '^1.0.0', title: 'S' } as const;
    assert.deepEqual(hookFaults(manifest, { secrets: () => ({}) }), []);
    assert.match(hookFaults(manifest, { secrets: 'no' } as unknown as Hooks)[0] ?? '', /secrets.*no function/);
  });
});
