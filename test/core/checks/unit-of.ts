import type { AnyCheck, CheckCall, Guardrail, JsonObject, Manifest, ReadyCheck } from 'portcullis/sdk';
import type { CheckCapabilities } from '../../../core/checks/check-host.ts';
import { createChecks, type GuardrailUnit } from '../../../core/checks/registry.ts';
import { recordingLog } from '../../support/recording-log.ts';

/** A unit of the given checks. */
export function unitOf(
  checks: Readonly<Record<string, AnyCheck>>,
  {
    permissions,
    credentials,
    name = 'unit',
    trust = 'trusted',
  }: {
    permissions?: NonNullable<Manifest['permissions']>;
    credentials?: Guardrail['credentials'];
    name?: string;
    trust?: GuardrailUnit['trust'];
  } = {},
): GuardrailUnit {
  const manifest: Manifest = {
    name,
    kind: 'guardrail',
    version: '1.2.3',
    sdk: '^1.0.0',
    title: 'Unit',
    ...(permissions === undefined ? {} : { permissions }),
  };
  return { manifest, trust, definition: { checks, ...(credentials === undefined ? {} : { credentials }) } };
}

/** The registry of units whose network, models and sandbox answer as told; none of them answers by itself. */
export function checksOf(units: readonly GuardrailUnit[], capabilities: Partial<CheckCapabilities> = {}) {
  const { log, logged } = recordingLog();
  const unused = (what: string) => () => {
    throw new Error(`The test has no ${what}.`);
  };
  const checks = createChecks(units, {
    log: () => log,
    now: () => 1_000_000,
    send: unused('network'),
    ask: unused('model'),
    code: unused('sandbox'),
    ...capabilities,
  });
  return { checks, logged };
}

/** One check of a unit, ready to run. */
export function readyOf(
  check: AnyCheck,
  options: Parameters<typeof unitOf>[1] = {},
  capabilities: Partial<CheckCapabilities> = {},
  parameters: JsonObject = {},
): ReadyCheck {
  return checksOf([unitOf({ one: check }, options)], capabilities).checks.ready('unit.one', parameters, 'at');
}

export function callOf(fields: Partial<CheckCall> = {}): CheckCall {
  return {
    principal: { id: 'key:a', kind: 'key' },
    traceId: 'trace-1',
    credentials: undefined,
    timeoutMs: 5000,
    signal: new AbortController().signal,
    forward: {},
    headers: {},
    ...fields,
  };
}
