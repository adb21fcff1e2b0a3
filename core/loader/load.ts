import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { GatewayError, isPlugin, type Manifest, type Plugin } from 'portcullis/sdk';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { allOf } from './all-of.ts';
import { discoverUnits, type UnitFolder } from './discover.ts';
import { codeOf, type FoundUnit, importUnit, type LoadedUnit } from './import-unit.ts';
import { readManifest } from './manifest.ts';
import { loadProviders, type ProviderEntry } from './providers.ts';
import { createRegistry, type Registry, referenceOf } from './registry.ts';
import { resolveSdkForUnits } from './resolve-sdk.ts';
import { trustFaults } from './trust.ts';

export type PluginEntry = LoadedUnit<Plugin>;

export interface Units {
  readonly providers: Registry<ProviderEntry>;
  readonly plugins: Registry<PluginEntry>;
  /** Not imported yet: some may only run in the sandbox. */
  readonly guardrails: Registry<FoundUnit>;
}

export interface LoadOptions {
  /** The folder that holds `providers/`, `guardrails/` and `plugins/`; default: this package. */
  readonly root?: string;
}

const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Finds and checks all units, and imports plugins and the providers of others; see `loadProviders` for when the others
 * follow. Every manifest and every signature is checked before any code is imported; all faults of a step are told
 * together.
 * @throws GatewayError `invalid_config`, a line for each fault
 */
export async function loadUnits(
  config: Pick<GatewayConfig, 'pluginFolders' | 'signingKeys'>,
  { root = packageRoot }: LoadOptions = {},
): Promise<Units> {
  const folders = discoverUnits(root, config.pluginFolders);
  const read = await allOf(
    folders.map(
      async (folder): Promise<FoundUnit> => ({
        manifest: readManifest(folder),
        folder: folder.path,
        trust: folder.trust,
      }),
    ),
  );
  await checkTrust(folders, config.signingKeys);
  const units = sorted(read);
  const extra = folders.filter(({ trust }) => trust !== 'built-in').map(({ path }) => path);
  resolveSdkForUnits([...extra, ...(await Promise.all(extra.map((path) => realpath(path))))]);
  const [providers, plugins] = await Promise.all([
    loadProviders(units.provider.units, root),
    allOf(units.plugin.units.map((unit) => importUnit(unit, isPlugin))),
  ]);
  await allOf(plugins.map(async (entry) => checkControl(entry)));
  return {
    providers: createRegistry('provider', providers),
    plugins: createRegistry('plugin', plugins),
    guardrails: units.guardrail,
  };
}

/** Holds units against their signatures. @throws GatewayError `invalid_config`, a line for each fault */
async function checkTrust(folders: readonly UnitFolder[], keys: GatewayConfig['signingKeys']): Promise<void> {
  const faults = await trustFaults(folders, keys);
  if (faults.length > 0) throw new GatewayError('invalid_config', faults.join('\n'), { param: 'plugins.folders' });
}

const kinds = ['provider', 'plugin', 'guardrail'] as const;

/** By kind; refuses what stands twice, and what may not run where it stands, before any of its code has run. */
function sorted(units: readonly FoundUnit[]): Readonly<Record<Manifest['kind'], Registry<FoundUnit>>> {
  const stray = units.find(({ trust, manifest }) => trust === 'sandboxed' && manifest.kind !== 'guardrail');
  if (stray !== undefined) {
    const text = `${stray.folder} is a ${stray.manifest.kind}, and only guardrails run in the sandbox. \`trust: trusted\` runs its code inside the gateway, with all that the gateway may do.`;
    throw new GatewayError('invalid_config', text, { param: 'plugins.folders' });
  }
  const registryOf = (kind: Manifest['kind']) =>
    createRegistry(
      kind,
      units.filter(({ manifest }) => manifest.kind === kind),
    );
  return Object.fromEntries(kinds.map((kind) => [kind, registryOf(kind)])) as Record<
    Manifest['kind'],
    Registry<FoundUnit>
  >;
}

/** What a plugin brings to the control plane, its manifest says. */
function checkControl(entry: PluginEntry): void {
  const { manifest, definition } = entry;
  const brings = definition.control !== undefined;
  if (brings === (manifest.control === true)) return;
  const why = brings
    ? 'has a control function, but its plugin.json does not say "control": true'
    : 'has no control function, but its plugin.json says "control": true';
  throw new GatewayError('invalid_config', `${codeOf(entry)}: ${referenceOf(manifest)} ${why}.`);
}
