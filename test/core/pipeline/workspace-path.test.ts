import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Access } from 'portcullis/sdk';
import { createGateway } from '../../../core/gateway.ts';
import { resolvePlan } from '../../../core/pipeline/run.ts';
import { enterWorkspace } from '../../../core/pipeline/workspace.ts';
import type { Leaf } from '../../../core/routing/plan.ts';
import { configOf, fakeDirectory, providerOf, recordsOf, workspaceOf } from '../../support/directory.ts';
import { exchangeOf } from '../../support/exchange.ts';
import { testConfig } from '../../support/gateway.ts';

const access: Access = {
  organisationId: 'org-1',
  workspaceId: 'a',
  keyId: 'k',
  keyType: 'workspace-service',
  sessionId: undefined,
  userId: undefined,
  organisationRole: undefined,
  roleIn: () => undefined,
  scopesIn: () => new Set(['completions.write']),
};

async function started(t: TestContext) {
  const directory = fakeDirectory(
    recordsOf({
      workspaces: [
        workspaceOf('a', { defaults: { config: 'pc-d', metadata: { team: 't' } }, blockInlineConfig: true }),
      ],
      providers: [providerOf('a', 'p'), providerOf('a', 'q')],
      configs: [configOf('a', 'pc-d', { virtual_key: 'p' }), configOf('a', 'pc-c', { virtual_key: 'p' })],
    }),
    { cold: true },
  );
  const gateway = await createGateway(testConfig({ controlPlugins: [] }), {
    directory,
    env: () => undefined,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  t.after(() => gateway.close());
  return { runtime: gateway.runtime, directory };
}

type Started = Awaited<ReturnType<typeof started>>;

function exchangeWith(headers: Readonly<Record<string, string>>, model: string) {
  const exchange = exchangeOf({ headers, body: { model, messages: [{ role: 'user', content: 'Hi' }] } });
  exchange.principal = { id: 'key:k', kind: 'key', access };
  return exchange;
}

/** Everything up to the call; each step must be at hand. */
function atOnce({ runtime }: Started, headers: Readonly<Record<string, string>>, model: string) {
  const exchange = exchangeWith(headers, model);
  assert.equal(enterWorkspace(runtime, exchange), undefined);
  const plan = resolvePlan(runtime, exchange, 'chat');
  assert.ok(!(plan instanceof Promise), 'the plan is a promise');
  const leaf = plan.plan.root as Leaf;
  const provider = runtime.settings.providerOf(leaf, exchange, exchange.body);
  assert.ok(!(provider instanceof Promise), 'the provider is a promise');
  return { plan, provider, settings: runtime.settings.settingsOf(leaf, provider, plan, exchange, 'm'), exchange };
}

describe('a request of a workspace whose records are known', () => {
  const ways: readonly [string, Record<string, string>, string][] = [
    ['a virtual key', { 'x-gw-virtual-key': 'p' }, 'm'],
    ['a saved config', { 'x-gw-config': 'pc-c' }, 'm'],
    ['the default config', {}, 'm'],
    ['a provider in the model', {}, '@p/m'],
  ];
  for (const [what, headers, model] of ways) {
    it(`needs no promise and no second plan, with ${what}`, async (t) => {
      const gateway = await started(t);
      const first = exchangeWith(headers, model);
      await enterWorkspace(gateway.runtime, first);
      const plan = await resolvePlan(gateway.runtime, first, 'chat');
      await gateway.runtime.settings.providerOf(plan.plan.root as Leaf, first, first.body);
      const loaded = gateway.directory.promises();

      const second = atOnce(gateway, headers, model);
      const third = atOnce(gateway, headers, model);
      assert.equal(gateway.directory.promises(), loaded);
      assert.equal(second.plan, plan);
      assert.equal(third.provider, second.provider);
      assert.equal(third.settings, second.settings);
      assert.deepEqual(third.exchange.metadata, { team: 't' });
    });
  }

  it('does not share settings with another provider of the same plan', async (t) => {
    const gateway = await started(t);
    const inModel = (model: string) => async () => {
      const exchange = exchangeWith({}, model);
      await enterWorkspace(gateway.runtime, exchange);
      const plan = await resolvePlan(gateway.runtime, exchange, 'chat');
      await gateway.runtime.settings.providerOf(plan.plan.root as Leaf, exchange, exchange.body);
      return atOnce(gateway, {}, model).settings.settings.apiKey;
    };
    assert.deepEqual([await inModel('@p/m')(), await inModel('@q/m')()], ['key-of-p', 'key-of-q']);
  });
});
