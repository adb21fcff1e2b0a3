import { type FileSections, type Log, phaseNames } from 'portcullis/sdk';
import type { GatewayConfig } from './config/gateway-config.ts';
import { createHost } from './loader/host.ts';
import { loadUnits, type ProviderEntry, type Units } from './loader/load.ts';
import { type ListedPhases, orderByPhase, setupPlugins } from './loader/plugins.ts';
import { checkSavedProviders } from './loader/saved-providers.ts';
import { namedLog } from './log.ts';
import { compilePipeline } from './pipeline/compile.ts';
import standardOrder from './pipeline/default.json' with { type: 'json' };
import { Plans } from './pipeline/plans.ts';
import { checkReachable } from './pipeline/reachable.ts';
import type { Runtime } from './pipeline/runtime.ts';
import { TargetSettings } from './pipeline/target-settings.ts';
import type { Breakers } from './routing/breaker.ts';
import { compileProvider, type ProviderUnit } from './upstream/provider-unit.ts';
import { Upstream } from './upstream/upstream.ts';
import { createUrlGuard, type UrlGuardOptions } from './upstream/url-guard/guard.ts';

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
}

/** Compiles a config into everything that serves it. @throws GatewayError naming what is at fault */
export async function createRuntime(config: GatewayConfig, parts: RuntimeParts): Promise<Runtime> {
  const units = await loadUnits(config);
  const findProvider = providerFinder(units);
  checkSavedProviders(config.providers, units.providers);
  const upstream = upstreamOf(config, parts);
  const phases = phasesOf(config);
  const loaded = await setupPlugins(phases, units.plugins, (manifest) =>
    createHost(manifest, {
      log: (plugin) => namedLog(parts.log, plugin),
      now: parts.now,
      random: parts.random,
      sleep: parts.sleep,
      newId: parts.newId,
      env: parts.env,
      file: sectionsOf(config),
      send: (url, request) => upstream.fetch(url, request),
    }),
  );
  const order = orderByPhase(phases, units.plugins, loaded);
  const pipeline = compilePipeline(order, parts.log);
  try {
    checkReachable(order);
    const settingNames = new Set(
      units.providers.units.flatMap((entry) => unitOf(entry).fields.map((field) => field.snake)),
    );
    const plans = new Plans(config.configs, { settingNames, serves: pipeline.serves, caps: config.caps });
    return {
      config,
      pipeline,
      plans,
      upstream,
      breakers: parts.breakers,
      settings: new TargetSettings({ providers: config.providers, findProvider, env: parts.env }),
      log: parts.log,
      now: parts.now,
      random: parts.random,
      findProvider,
    };
  } catch (error) {
    await pipeline.close();
    throw error;
  }
}

const compiled = new WeakMap<ProviderEntry['definition'], ProviderUnit>();

function unitOf({ manifest, definition }: ProviderEntry): ProviderUnit {
  const known = compiled.get(definition) ?? compileProvider(manifest, definition);
  compiled.set(definition, known);
  return known;
}

function providerFinder(units: Units): (name: string) => ProviderUnit {
  return (name) => unitOf(units.providers.find(name));
}

function phasesOf(config: GatewayConfig): ListedPhases {
  const standard = standardOrder as Readonly<Record<string, readonly string[]>>;
  return Object.fromEntries(
    phaseNames.map((phase) => [phase, config.phases[phase] ?? (standard[phase] ?? []).map((plugin) => ({ plugin }))]),
  );
}

function upstreamOf({ server }: GatewayConfig, { now, newId, resolve }: RuntimeParts): Upstream {
  const { connectMs, firstByteMs, gapMs, totalMs, requestMs } = server.timeouts;
  return new Upstream({
    guard: createUrlGuard({ trustedHosts: server.trustedHosts, ...(resolve === undefined ? {} : { resolve }) }),
    timeouts: { firstByteMs, gapMs, totalMs },
    connectMs,
    requestMs: requestMs ?? 0,
    maxReplyBytes: server.maxReplyBytes,
    customHostMaxReplyBytes: server.customHostMaxReplyBytes,
    now,
    newId,
  });
}

function sectionsOf(config: GatewayConfig): FileSections {
  return {
    keys: config.keys,
    configs: config.configs,
    providers: Object.keys(config.providers),
    defaultConfig: config.defaultConfig,
  };
}
