import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type Hooks, type PhaseName, phaseNames } from 'portcullis/sdk';
import type { ReadyPlugin } from '../../../core/pipeline/compile.ts';
import { checkReachable } from '../../../core/pipeline/reachable.ts';

function ready(name: string, hooks: Hooks): ReadyPlugin {
  return { name, major: 1, version: '1.0.0', serves: [], hooks };
}

const keys = ready('keys', { identify: () => undefined });
const config = ready('config', { resolve: () => undefined });
const meter = ready('meter', { admit: () => undefined, settle: () => undefined });

function order(listed: Partial<Record<PhaseName, readonly ReadyPlugin[]>>) {
  return Object.fromEntries(phaseNames.map((phase) => [phase, listed[phase] ?? []])) as unknown as Record<
    PhaseName,
    readonly ReadyPlugin[]
  >;
}

function refusedPhase(listed: Partial<Record<PhaseName, readonly ReadyPlugin[]>>): string | undefined {
  try {
    checkReachable(order(listed));
  } catch (error) {
    assert.ok(GatewayError.is(error));
    assert.equal(error.code, 'invalid_config');
    return error.param;
  }
  return undefined;
}

describe('an order of plugins', () => {
  const cases = [
    {
      says: 'is accepted when every hook is listed',
      listed: { identify: [keys], resolve: [config], admit: [meter], settle: [meter] },
    },
    { says: 'is refused without anyone who identifies', listed: { resolve: [config] }, param: 'phases.identify' },
    { says: 'is refused without anyone who resolves', listed: { identify: [keys] }, param: 'phases.resolve' },
    {
      says: 'is refused when half of a plugin would never run',
      listed: { identify: [keys], resolve: [config], admit: [meter] },
      param: 'phases.settle',
    },
  ];
  for (const { says, listed, param } of cases) {
    it(says, () => assert.equal(refusedPhase(listed), param));
  }
});
