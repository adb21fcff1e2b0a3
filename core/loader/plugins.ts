import {
  GatewayError,
  type Hooks,
  type Host,
  type Json,
  type JsonObject,
  type Manifest,
  type PhaseName,
  phaseNames,
} from 'portcullis/sdk';
import type { ListedPlugin } from '../config/gateway-config.ts';
import { faultSentence, schemaFaults } from '../config/schema-faults.ts';
import { carefulValidatorOf, fillingValidatorOf } from '../config/validator.ts';
import { hookFaults } from './hook-checks.ts';
import type { PluginEntry } from './load.ts';
import { majorOf, type Registry, referenceOf } from './registry.ts';

/** Plugins by phase, in run order. */
export type ListedPhases = Readonly<Partial<Record<PhaseName, readonly ListedPlugin[]>>>;

/** A plugin that has been set up and whose hooks are those of its manifest. */
export interface LoadedPlugin {
  readonly name: string;
  readonly major: number;
  readonly version: string;
  readonly serves: readonly string[];
  readonly bodies: boolean;
  readonly manifest: Manifest;
  readonly hooks: Hooks;
}

interface Use {
  readonly entry: PluginEntry;
  /** Where the operator's file lists it first, and where it gives the config. */
  readonly listedAt: string;
  readonly configuredAt: string | undefined;
  readonly config: JsonObject;
}

interface Prepared extends Use {
  readonly filled: Json;
}

/**
 * Sets up each listed plugin once, in the order in which the phases first name it; `beside` names plugins without any
 * phase that are set up too. All configs are checked before any
 * plugin is set up; when one fails, those before it are closed.
 * @throws GatewayError `invalid_config`: a name that nothing bears, a config at fault (a line for each fault), a phase
 * that the plugin does not implement, or a setup that throws
 */
export async function setupPlugins(
  listed: ListedPhases,
  registry: Registry<PluginEntry>,
  hostFor: (manifest: Manifest) => Host,
  beside: readonly string[] = [],
): Promise<readonly LoadedPlugin[]> {
  const ready = prepared([...usesOf(listed, registry), ...besideThese(usesOf(listed, registry), beside, registry)]);
  const loaded: LoadedPlugin[] = [];
  try {
    for (const use of ready) loaded.push(await setUp(use, hostFor(use.entry.manifest)));
  } catch (error) {
    for (const { hooks } of loaded.toReversed()) await closeQuietly(hooks);
    throw error;
  }
  return loaded;
}

/** The set-up plugins of each phase, in run order: what the pipeline is compiled from. */
export function orderByPhase(
  listed: ListedPhases,
  registry: Registry<PluginEntry>,
  loaded: readonly LoadedPlugin[],
): Readonly<Record<PhaseName, readonly LoadedPlugin[]>> {
  const inPhase = (phase: PhaseName) =>
    (listed[phase] ?? []).flatMap(({ plugin }) =>
      loaded.filter(({ manifest }) => manifest === registry.find(plugin).manifest),
    );
  const order: Partial<Record<PhaseName, readonly LoadedPlugin[]>> = {};
  for (const phase of phaseNames) order[phase] = inPhase(phase);
  return order as Record<PhaseName, readonly LoadedPlugin[]>;
}

function usesOf(listed: ListedPhases, registry: Registry<PluginEntry>): readonly Use[] {
  const uses = new Map<PluginEntry, Use>();
  for (const phase of phaseNames) {
    const inPhase = new Set<PluginEntry>();
    for (const [index, { plugin, config }] of (listed[phase] ?? []).entries()) {
      const at = `phases.${phase}[${index}]`;
      const entry = registry.get(plugin);
      if (entry === undefined) refuse(at, registry.unknown(plugin).message);
      if (inPhase.has(entry))
        refuse(at, `${referenceOf(entry.manifest)} is listed twice in this phase: a plugin runs once in a phase.`);
      inPhase.add(entry);
      const offered: readonly string[] = entry.manifest.phases ?? [];
      if (!offered.includes(phase)) {
        refuse(
          at,
          `the plugin ${entry.manifest.name} does not implement this phase; it implements ${offered.join(', ')}.`,
        );
      }
      const use = uses.get(entry);
      const configuredAt = config === undefined ? undefined : `${at}.config`;
      if (configuredAt !== undefined && use?.configuredAt !== undefined) {
        refuse(
          configuredAt,
          `the config of ${referenceOf(entry.manifest)} stands at ${use.configuredAt} already and holds for all phases.`,
        );
      }
      uses.set(entry, {
        entry,
        listedAt: use?.listedAt ?? at,
        configuredAt: use?.configuredAt ?? configuredAt,
        config: config ?? use?.config ?? {},
      });
    }
  }
  return [...uses.values()];
}

/** Plugins that are set up for hooks that are no phase. */
function besideThese(uses: readonly Use[], names: readonly string[], registry: Registry<PluginEntry>): readonly Use[] {
  const listed = new Set(uses.map(({ entry }) => entry));
  return names
    .map((name) => registry.find(name))
    .filter((entry) => !listed.has(entry) && (entry.manifest.phases ?? []).length === 0)
    .map((entry) => ({ entry, listedAt: 'control.plugins', configuredAt: undefined, config: {} }));
}

function refuse(at: string, why: string): never {
  throw new GatewayError('invalid_config', `${at}: ${why}`, { param: at });
}

/** Checks all configs against their schemas, defaults filled into copies. */
function prepared(uses: readonly Use[]): readonly Prepared[] {
  const faults: { readonly param: string; readonly line: string }[] = [];
  const ready = uses.map((use): Prepared => {
    const filled = structuredClone(use.config) as Json;
    const validatorOf = use.entry.trust === 'built-in' ? fillingValidatorOf : carefulValidatorOf;
    const check = validatorOf(use.entry.definition.config);
    const at = use.configuredAt ?? use.listedAt;
    if (!check(filled)) {
      for (const fault of schemaFaults(check.errors, filled)) {
        faults.push({
          param: at,
          line: `${at}: the config of the plugin ${referenceOf(use.entry.manifest)}: ${faultSentence(fault, 'it')}`,
        });
      }
    }
    return { ...use, filled };
  });
  const [first] = faults;
  if (first === undefined) return ready;
  throw new GatewayError('invalid_config', faults.map(({ line }) => line).join('\n'), { param: first.param });
}

async function setUp({ entry, filled, listedAt }: Prepared, host: Host): Promise<LoadedPlugin> {
  const { manifest } = entry;
  const { name, version, serves = [] } = manifest;
  const hooks = await madeHooks(entry, filled, host, listedAt);
  const faults = hookFaults(manifest, hooks);
  if (faults.length > 0) {
    await closeQuietly(hooks);
    const lines = faults.map((fault) => `The plugin ${referenceOf(manifest)} (${entry.folder}) ${fault}.`);
    throw new GatewayError('invalid_config', lines.join('\n'), { param: listedAt });
  }
  const bodies = manifest.permissions?.bodies === true;
  return { name, major: majorOf(manifest), version, serves, bodies, manifest, hooks };
}

async function madeHooks({ manifest, definition }: PluginEntry, config: Json, host: Host, at: string): Promise<Hooks> {
  try {
    return await definition.setup(config, host);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it threw something that is no error';
    throw new GatewayError('invalid_config', `The plugin ${referenceOf(manifest)} could not be set up: ${why}`, {
      param: at,
      cause,
    });
  }
}

/** The fault that leads here is the one to tell; a failing close would hide it. */
async function closeQuietly(hooks: Hooks): Promise<void> {
  try {
    if (typeof hooks?.close === 'function') await hooks.close();
  } catch {
    return;
  }
}
