import {
  type AuditEvent,
  type Counters,
  type Directory,
  type FileSections,
  kebabName,
  type Log,
  type LogSinks,
  type Manifest,
  type Metrics,
  type Provider,
  phaseNames,
  snakeName,
} from 'portcullis/sdk';
import type { Affinity } from './affinity/affinity.ts';
import type { Batches } from './batches/batches.ts';
import { loadGuardrails } from './checks/load-guardrails.ts';
import { createChecks } from './checks/registry.ts';
import { type GatewayConfig, standardUploadBytes } from './config/gateway-config.ts';
import standardControl from './control/default.json' with { type: 'json' };
import { isLoopback } from './http/local-callers.ts';
import { capabilityList } from './loader/capabilities.ts';
import { createHost } from './loader/host.ts';
import { loadUnits, type Units } from './loader/load.ts';
import { namedProviders } from './loader/named-providers.ts';
import { type ListedPhases, orderByPhase, setupPlugins } from './loader/plugins.ts';
import type { ListedSettings } from './loader/provider-settings.ts';
import { servedDefinition } from './loader/providers.ts';
import { checkSavedProviders } from './loader/saved-providers.ts';
import { namedLog } from './log.ts';
import { askModel } from './pipeline/ask-model.ts';
import { compilePipeline } from './pipeline/compile.ts';
import standardOrder from './pipeline/default.json' with { type: 'json' };
import { embed } from './pipeline/embed.ts';
import { Plans } from './pipeline/plans.ts';
import { checkReachable } from './pipeline/reachable.ts';
import type { Runtime } from './pipeline/runtime.ts';
import { addNote } from './pipeline/settle.ts';
import { TargetSettings } from './pipeline/target-settings.ts';
import type { RedisConnection } from './redis/plugin-redis.ts';
import type { Breakers } from './routing/breaker.ts';
import { createCodeRunner } from './sandbox/code-runner.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { loadSandboxedGuardrail } from './sandbox/sandboxed-guardrail.ts';
import { compileProvider, type ProviderUnit } from './upstream/provider-unit.ts';
import { gatewayHeaders } from './upstream/settings.ts';
import { Upstream } from './upstream/upstream.ts';
import { createUrlGuard, type UrlGuard, type UrlGuardOptions } from './upstream/url-guard/guard.ts';

/** What outlives a config: clock, chance, names, log, and the state of the breakers. */
export interface RuntimeParts {
  readonly now: () => number;
  readonly newId: () => string;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly env: (name: string) => string | undefined;
  readonly resolve: UrlGuardOptions['resolve'] | undefined;
  readonly breakers: Breakers;
  readonly sandbox: Sandbox;
  readonly counters: Counters;
  readonly affinity: Affinity;
  readonly batches: Batches;
  readonly metrics: Metrics;
  readonly logs: LogSinks;
  /** Absent: the operator has none. */
  readonly redis?: RedisConnection | undefined;
  /** Absent: there is no control plane. */
  readonly directory?: Directory | undefined;
  /** The keyed checksum of a text; undefined while its key is not known. Absent: there is no control plane. */
  readonly checksum?: ((text: string) => string | undefined) | undefined;
  /** Writes an audit entry in the background. Absent: there is no control plane in this process. */
  readonly report?: ((event: AuditEvent) => void) | undefined;
  /** Whether the control plane has issued a key that may infer; absent: it has none. */
  readonly keysIssued?: (() => boolean) | undefined;
}

/** Compiles a config into everything that serves it. @throws GatewayError naming what is at fault */
export async function createRuntime(config: GatewayConfig, parts: RuntimeParts): Promise<Runtime> {
  const units = await loadUnits(config);
  const findProvider = providerFinder(units);
  const upstream = upstreamOf(config, parts);
  // Questions to models come once requests do, when it is there.
  let runtime: Runtime;
  let serving = false;
  const checks = createChecks(
    await loadGuardrails(
      units.guardrails.units,
      (unit) => loadSandboxedGuardrail(unit, parts.sandbox),
      () => serving,
    ),
    {
      log: (unit) => namedLog(parts.log, unit),
      now: parts.now,
      send: (url, request) => upstream.fetch(url, request),
      ask: (question, call) => askModel(runtime, question, call, parts.newId),
      code: (host, organisation = '') => createCodeRunner(parts.sandbox, { organisation, host }),
    },
  );
  checkSavedProviders(config.providers, units.providers);
  // Their code is imported now: a fault is told at start, and no request waits.
  for (const entry of namedProviders(config, units.providers)) unitOf(entry.manifest, entry.definition);
  const phases = phasesOf(config);
  const beside = parts.directory === undefined ? standardOrder.beside : (config.controlPlugins ?? standardControl);
  const hostFor = (manifest: Manifest) =>
    createHost(manifest, {
      log: (plugin) => namedLog(parts.log, plugin),
      now: parts.now,
      random: parts.random,
      sleep: parts.sleep,
      newId: parts.newId,
      env: parts.env,
      file: sectionsOf(config),
      directory: parts.directory,
      checksum: parts.checksum,
      report: parts.report,
      note: addNote,
      checks,
      counters: parts.counters,
      metrics: parts.metrics,
      logs: parts.logs,
      price: (question) => runtime.pipeline.price(question),
      embed: (question, request) => embed(runtime, question, request, parts.newId()),
      redis: (plugin) => parts.redis?.forPlugin(plugin),
      send: (url, request) => upstream.fetch(url, request),
    });
  const loaded = await setupPlugins(phases, units.plugins, hostFor, beside);
  const order = orderByPhase(phases, units.plugins, loaded);
  const inPhases = new Set(Object.values(order).flat());
  const pipeline = compilePipeline(
    order,
    parts.log,
    loaded.filter((plugin) => !inPhases.has(plugin)),
  );
  try {
    checkReachable(order);
    const settings = units.providers.units.map((entry) => entry.settings);
    const settingNames = new Set(settings.flatMap((listed) => Object.keys(listed).map(snakeName)));
    const plans = new Plans(config.configs, {
      settingNames,
      serves: pipeline.serves,
      caps: config.caps,
      acceptHooks: pipeline.acceptHooks,
    });
    runtime = {
      config,
      pipeline,
      checks,
      plans,
      upstream,
      breakers: parts.breakers,
      affinity: parts.affinity,
      batches: parts.batches,
      settings: new TargetSettings({
        providers: config.providers,
        findProvider,
        env: parts.env,
        machineIdentity: config.server.machineIdentity ?? 'operator',
        directory: parts.directory,
        secrets: pipeline.secrets,
        now: parts.now,
      }),
      directory: parts.directory,
      get open() {
        return pipeline.open && mayBeOpen(config, parts);
      },
      settingHeaders: settingHeaders(settings),
      log: parts.log,
      now: parts.now,
      random: parts.random,
      capabilities: () => capabilityList(units.providers.units),
      findProvider,
    };
    serving = true;
    return runtime;
  } catch (error) {
    await pipeline.close();
    throw error;
  }
}

/** With a control plane, only until it has issued a key, and never to the network where the operator has asked for that. */
function mayBeOpen({ server: { host } }: GatewayConfig, { directory, keysIssued }: RuntimeParts): boolean {
  if (directory === undefined) return true;
  return keysIssued?.() !== true && (host === undefined || isLoopback(host));
}

/** Settings with a native header of their own, such as a version, are none: SDKs send those in any case. */
function settingHeaders(settings: readonly ListedSettings[]): readonly string[] {
  const all = settings.flatMap((listed) => Object.entries(listed));
  const own = all.flatMap(([name, header]) => (header === null ? [kebabName(name)] : []));
  return [...new Set(own.filter((name) => !gatewayHeaders.has(name)))];
}

const compiled = new WeakMap<Provider, ProviderUnit>();

function unitOf(manifest: Manifest, definition: Provider): ProviderUnit {
  const known = compiled.get(definition) ?? compileProvider(manifest, definition);
  compiled.set(definition, known);
  return known;
}

function providerFinder(units: Units): (name: string) => ProviderUnit {
  return (name) => {
    const entry = units.providers.find(name);
    return unitOf(entry.manifest, servedDefinition(entry));
  };
}

function phasesOf(config: GatewayConfig): ListedPhases {
  const standard: Readonly<Record<string, readonly string[]>> = standardOrder;
  return Object.fromEntries(
    phaseNames.map((phase) => [phase, config.phases[phase] ?? (standard[phase] ?? []).map((plugin) => ({ plugin }))]),
  );
}

/** Calls of one kind: each has its own pools. */
export function upstreamOf(
  { server, ledger }: GatewayConfig,
  {
    now,
    newId,
    resolve,
    log,
    env,
  }: Pick<RuntimeParts, 'now' | 'newId' | 'resolve' | 'log'> & Partial<Pick<RuntimeParts, 'env'>>,
): Upstream {
  const { connectMs, firstByteMs, gapMs, totalMs, requestMs } = server.timeouts;
  return new Upstream({
    guard: urlGuardOf({ server }, { resolve }),
    timeouts: { firstByteMs, gapMs, totalMs },
    connectMs,
    requestMs: requestMs ?? 0,
    maxReplyBytes: server.maxReplyBytes,
    customHostMaxReplyBytes: server.customHostMaxReplyBytes,
    maxFileBytes: server.maxUploadBytes ?? standardUploadBytes,
    env,
    now,
    newId,
    ledger,
    onUsageRefused: ({ provider, model }) => log.info('stream_usage_refused', { provider, model }),
  });
}

/** What every URL goes through that a caller can influence. */
export function urlGuardOf(
  { server }: Pick<GatewayConfig, 'server'>,
  { resolve }: Pick<RuntimeParts, 'resolve'>,
): UrlGuard {
  return createUrlGuard({ trustedHosts: server.trustedHosts, ...(resolve === undefined ? {} : { resolve }) });
}

/** By their places in the file. */
function defaultsOf({ defaultGuardrails, keys }: GatewayConfig): FileSections['defaultGuardrails'] {
  const ofKeys = keys.map(({ guardrails }, index) => [`keys[${index}].guardrails`, guardrails] as const);
  const all = [['default_guardrails', defaultGuardrails] as const, ...ofKeys];
  return Object.fromEntries(all.flatMap(([place, given]) => (given === undefined ? [] : [[place, given]])));
}

function sectionsOf(config: GatewayConfig): FileSections {
  return {
    keys: config.keys,
    configs: config.configs,
    providers: Object.keys(config.providers),
    guardrails: config.guardrails ?? {},
    defaultGuardrails: defaultsOf(config),
    guardrailCredentials: config.guardrailCredentials ?? {},
    defaultConfig: config.defaultConfig,
  };
}
