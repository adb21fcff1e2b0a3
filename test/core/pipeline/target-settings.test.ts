import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, Resolution } from 'portcullis/sdk';
import { Plans } from '../../../core/pipeline/plans.ts';
import { TargetSettings } from '../../../core/pipeline/target-settings.ts';
import { defaultCaps } from '../../../core/routing/fan-out.ts';
import type { Leaf } from '../../../core/routing/plan.ts';
import { exchangeOf } from '../../support/exchange.ts';
import { unitOf } from '../upstream/unit.ts';

const options = {
  settingNames: new Set(['api_key', 'region', 'organization']),
  acceptHooks: () => {},
  serves: new Set<string>(),
  caps: defaultCaps,
};

/** What each target of a saved config is called with when the caller's headers add to it. */
function keysOf(config: JsonObject, resolution: Omit<Resolution, 'config'>, headers: Record<string, string> = {}) {
  const plan = new Plans({ saved: config }, options).planOf({ config: 'saved', ...resolution });
  const { root } = plan.plan;
  const leaves = (root.kind === 'leaf' ? [root] : root.children) as readonly Leaf[];
  const unit = unitOf();
  const settings = new TargetSettings({ providers: {}, findProvider: () => unit, env: () => undefined });
  return leaves.map((leaf) => {
    try {
      const resolved = settings.settingsOf(leaf, { unit, saved: undefined }, plan, exchangeOf({ headers }));
      return `${resolved.settings.apiKey} -> ${resolved.base}`;
    } catch (error) {
      return (error as { code: string }).code;
    }
  });
}

const callers = { overrides: { custom_host: 'https://callers.example' } };

describe("the caller's custom host over a saved config", () => {
  it('does not get the key of the config', () => {
    assert.deepEqual(keysOf({ provider: 'alpha', api_key: 'operator' }, callers), ['missing_credentials']);
  });

  it('leaves targets alone that have a host of their own, key included', () => {
    const config = {
      strategy: { mode: 'fallback' },
      targets: [
        { provider: 'alpha', api_key: 'operator', custom_host: 'https://own.example' },
        { provider: 'alpha', api_key: 'operator' },
      ],
    };
    assert.deepEqual(keysOf(config, callers), ['operator -> https://own.example', 'missing_credentials']);
  });

  it("does not get a key that the config keeps for another host, though it be the provider's own", () => {
    const config = { provider: 'alpha', api_key: 'operator', custom_host: 'https://proxy.example' };
    assert.deepEqual(keysOf(config, { overrides: { custom_host: 'https://alpha.example/v1' } }), [
      'missing_credentials',
    ]);
  });
});

it("never takes the gateway's own key for the provider's", () => {
  assert.deepEqual(keysOf({ provider: 'alpha' }, {}, { 'x-gw-api-key': 'pc_gateway' }), ['missing_credentials']);
});

it('shows the credential of a caller to no target of a strategy', () => {
  const config = { strategy: { mode: 'fallback' }, targets: [{ provider: 'alpha' }, { provider: 'alpha' }] };
  assert.deepEqual(keysOf(config, {}, { authorization: 'Bearer callers' }), [
    'missing_credentials',
    'missing_credentials',
  ]);
});
