import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  GatewayError,
  isGuardrail,
  isPlugin,
  isProvider,
  type Manifest,
  type Plugin,
  type Provider,
} from 'portcullis/sdk';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { discoverUnits, type UnitFolder } from './discover.ts';
import { readManifest } from './manifest.ts';
import { providerFaults } from './provider-checks.ts';
import { createRegistry, type Registry, referenceOf } from './registry.ts';
import { resolveSdkForUnits } from './resolve-sdk.ts';
import { trustFaults } from './trust.ts';

export interface LoadedUnit<Definition> {
  readonly manifest: Manifest;
  /** Absolute path. */
  readonly folder: string;
  readonly trust: UnitFolder['trust'];
  readonly definition: Definition;
}

export type ProviderEntry = LoadedUnit<Provider>;
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

/** A unit whose manifest has been read, and nothing else of it. */
export interface FoundUnit {
  readonly manifest: Manifest;
  /** Absolute path. */
  readonly folder: string;
  readonly trust: UnitFolder['trust'];
}

const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Finds and checks all units, and imports providers and plugins. Every manifest and every signature is checked
 * before any code is imported; all faults of a step are told together.
 * @throws GatewayError `invalid_config`, a line for each fault
 */
export async function loadUnits(
  config: Pick<GatewayConfig, 'pluginFolders' | 'signingKeys'>,
  { root = packageRoot }: LoadOptions = {},
): Promise<Units> {
  const folders = await discoverUnits(root, config.pluginFolders);
  const read = await allOf(
    folders.map(
      async (folder): Promise<FoundUnit> => ({
        manifest: await readManifest(folder),
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
    allOf(units.provider.units.map((unit) => importUnit(unit, isProvider))),
    allOf(units.plugin.units.map((unit) => importUnit(unit, isPlugin))),
  ]);
  await allOf([
    ...providers.map(async (entry) => checkProvider(entry)),
    ...plugins.map(async (entry) => checkControl(entry)),
  ]);
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

/** Imports the code of a unit into this process. @throws GatewayError `invalid_config` */
export async function importUnit<Definition>(
  unit: FoundUnit,
  isDeclared: (value: unknown) => value is Definition,
): Promise<LoadedUnit<Definition>> {
  const { manifest, folder, trust } = unit;
  const file = join(folder, 'index.ts');
  const module = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'it threw something that is no error';
    throw new GatewayError('invalid_config', `${file} cannot be imported. ${why}`, { cause });
  });
  const definition: unknown = (module as { default?: unknown }).default;
  if (isDeclared(definition)) return { manifest, folder, trust, definition };
  const { kind } = manifest;
  const declared = [
    [isProvider, 'provider'],
    [isPlugin, 'plugin'],
    [isGuardrail, 'guardrail'],
  ] as const;
  const actual = declared.find(([is]) => is(definition))?.[1];
  const other = actual === undefined ? '' : `, but it is a ${actual}`;
  throw new GatewayError(
    'invalid_config',
    `${file}: the default export must be what ${kind}() of portcullis/sdk returns, for plugin.json says kind ${kind}${other}.`,
  );
}

function checkProvider({ manifest, folder, definition }: ProviderEntry): void {
  const faults = providerFaults(manifest, definition);
  if (faults.length === 0) return;
  const file = join(folder, 'index.ts');
  throw new GatewayError(
    'invalid_config',
    faults.map((fault) => `${file}: ${referenceOf(manifest)} ${fault}.`).join('\n'),
  );
}

/** What a plugin brings to the control plane, its manifest says. */
function checkControl({ manifest, folder, definition }: PluginEntry): void {
  const brings = definition.control !== undefined;
  if (brings === (manifest.control === true)) return;
  const why = brings
    ? 'has a control function, but its plugin.json does not say "control": true'
    : 'has no control function, but its plugin.json says "control": true';
  throw new GatewayError('invalid_config', `${join(folder, 'index.ts')}: ${referenceOf(manifest)} ${why}.`);
}

/** As Promise.all, but it waits for all and tells every fault. */
export async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(work);
  const reasons = settled.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
  const unexpected = reasons.find((reason) => !GatewayError.is(reason));
  if (unexpected !== undefined) throw unexpected;
  const [first, ...others] = reasons as GatewayError[];
  if (first !== undefined && others.length === 0) throw first;
  if (first !== undefined) {
    const message = [first, ...others].map((reason) => reason.message).join('\n');
    throw new GatewayError(first.code, message, {
      cause: first,
      ...(first.param === undefined ? {} : { param: first.param }),
    });
  }
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
