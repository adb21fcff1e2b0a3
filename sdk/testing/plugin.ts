import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Host } from '../contracts/host.ts';
import type { PhaseName } from '../contracts/manifest.ts';
import type { Hooks, Plugin } from '../contracts/plugin.ts';
import type { Outcome, RequestContext, RequestRecord, TargetContext } from '../contracts/request.ts';
import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { createTestHost } from './host.ts';
import { testTimeMs } from './test-gateway.ts';

type Hook<Phase extends PhaseName> = NonNullable<Hooks[Phase]>;

/**
 * Sets a plugin up as the gateway does: on a copy of the config, checked against its schema, defaults filled in.
 * @throws GatewayError `invalid_config` for a config that does not fit
 */
export async function setupPlugin(
  plugin: Plugin,
  config: JsonObject = {},
  host: Host = createTestHost(),
): Promise<Hooks> {
  const filled = structuredClone(config);
  const check = new Ajv2020({ strict: false, useDefaults: true, allErrors: true }).compile(plugin.config);
  if (!check(filled)) {
    const faults = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
    throw new GatewayError('invalid_config', `The config does not fit: ${faults.join('; ')}.`);
  }
  return plugin.setup(filled, host);
}

/**
 * Runs the hook of one phase and gives what it returned; a hook that throws rejects.
 * @throws Error when the plugin has no hook for the phase
 */
export async function runHook<Phase extends PhaseName>(
  hooks: Hooks,
  phase: Phase,
  ...facts: Parameters<Hook<Phase>>
): Promise<Awaited<ReturnType<Hook<Phase>>>> {
  const hook = hooks[phase] as ((...facts: Parameters<Hook<Phase>>) => ReturnType<Hook<Phase>>) | undefined;
  if (hook === undefined) throw new Error(`The plugin has no hook for the phase ${phase}.`);
  return await hook.call(hooks, ...facts);
}

const vendorHeader = 'x-gw-';

/** A chat request; give what matters. Controls are read from `x-gw-` headers. */
export function testRequest(given: Partial<RequestContext> = {}): RequestContext {
  const headers = given.headers ?? {};
  return {
    id: 'request-1',
    traceId: 'trace-1',
    method: 'POST',
    path: '/v1/chat/completions',
    query: '',
    endpoint: 'chatComplete',
    dialect: 'chat',
    params: {},
    headers,
    control: (name) => headers[vendorHeader + name],
    body: { model: 'test-model', messages: [{ role: 'user', content: 'Hello.' }] },
    startedAt: testTimeMs,
    principal: { id: 'anonymous', kind: 'anonymous' },
    metadata: {},
    strict: true,
    signal: new AbortController().signal,
    ...given,
  };
}

/** A target of a chat request; give what matters. */
export function testTarget(given: Partial<TargetContext> = {}): TargetContext {
  const request = given.request ?? testRequest();
  return {
    request,
    path: 'config',
    name: undefined,
    provider: 'echo',
    body: request.body,
    strict: request.strict,
    retry: undefined,
    overrideParams: undefined,
    defaultParams: undefined,
    dropParams: undefined,
    hooks: { before: [], after: [] },
    identity: () => 'a'.repeat(64),
    ...given,
  };
}

/** What a target gave: status 200 and a JSON body, unless told otherwise. */
export function testOutcome(given: Partial<Outcome> & { readonly json?: JsonObject } = {}): Outcome {
  const { json = {}, ...rest } = given;
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(json)) },
    provider: 'echo',
    model: 'test-model',
    path: 'config',
    retries: 0,
    usage: () => undefined,
    ...rest,
  };
}

/** The record of a request that went well. */
export function testRecord(given: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: 'request-1',
    traceId: 'trace-1',
    startedAt: testTimeMs,
    durationMs: 12,
    method: 'POST',
    path: '/v1/chat/completions',
    endpoint: 'chatComplete',
    status: 200,
    stream: false,
    principal: 'anonymous',
    provider: 'echo',
    model: 'test-model',
    target: 'config',
    retries: 0,
    usage: { input: 1, output: 1, total: 2 },
    metadata: {},
    spanId: '00f067aa0ba902b7',
    error: undefined,
    ...given,
  };
}
