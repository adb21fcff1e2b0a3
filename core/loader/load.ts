import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { GatewayError, isPlugin, isProvider, type Manifest, type Plugin, type Provider } from 'portcullis/sdk';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { discoverUnits, type UnitFolder } from './discover.ts';
import { readManifest } from './manifest.ts';
import { providerFaults } from './provider-checks.ts';
import { createRegistry, type Registry, referenceOf } from './registry.ts';
import { resolveSdkForUnits } from './resolve-sdk.ts';

interface LoadedUnit<Definition> {
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
}

export interface LoadOptions {
  /** The folder that holds `providers/`, `guardrails/` and `plugins/`; default: this package. */
  readonly root?: string;
}

interface ReadUnit extends UnitFolder {
  readonly manifest: Manifest;
}

const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Finds, checks and imports all units. Every manifest, and the trust of every folder, is checked before any code is
 * imported; all faults of a step are told together.
 * @throws GatewayError `invalid_config`, a line for each fault
 */
export async function loadUnits(
  config: Pick<GatewayConfig, 'pluginFolders' | 'signingKeys'>,
  { root = packageRoot }: LoadOptions = {},
): Promise<Units> {
  refuseUnsupported(config);
  const folders = await discoverUnits(root, config.pluginFolders);
  const read = await allOf(
    folders.map(async (folder): Promise<ReadUnit> => ({ ...folder, manifest: await readManifest(folder) })),
  );
  const units = withoutTwins(read);
  const extra = folders.filter(({ trust }) => trust !== 'built-in').map(({ path }) => path);
  resolveSdkForUnits([...extra, ...(await Promise.all(extra.map((path) => realpath(path))))]);
  const [providers, plugins] = await Promise.all([
    allOf(units.provider.map((unit) => importUnit(unit, isProvider))),
    allOf(units.plugin.map((unit) => importUnit(unit, isPlugin))),
  ]);
  await allOf([
    ...providers.map(async (entry) => checkProvider(entry)),
    ...plugins.map(async (entry) => checkControl(entry)),
  ]);
  return { providers: createRegistry('provider', providers), plugins: createRegistry('plugin', plugins) };
}

/** Refuses what this version would have to ignore: a signature that nobody verifies is worse than none. */
function refuseUnsupported({ pluginFolders, signingKeys }: Pick<GatewayConfig, 'pluginFolders' | 'signingKeys'>): void {
  if (signingKeys.length > 0) {
    const text =
      'plugins.signing_keys is given, but this version cannot verify signatures. Remove it; the folders that you trust are named by `trust: trusted`.';
    throw new GatewayError('invalid_config', text, { param: 'plugins.signing_keys' });
  }
  pluginFolders.forEach(({ path, trust, requireSignature }, index) => {
    const param = `plugins.folders[${index}]`;
    if (requireSignature) {
      const text = `The plugin folder ${path} demands signatures, but this version cannot verify them. Remove require_signature, or the folder.`;
      throw new GatewayError('invalid_config', text, { param: `${param}.require_signature` });
    }
    if (trust === 'sandboxed') {
      const text = `The plugin folder ${path} is sandboxed, and this version has no sandbox. \`trust: trusted\` runs its code inside the gateway, with all that the gateway may do.`;
      throw new GatewayError('invalid_config', text, { param: `${param}.trust` });
    }
  });
}

/** Sorts by kind and refuses what stands twice, before the code of either has run. */
function withoutTwins(units: readonly ReadUnit[]): Readonly<Record<'provider' | 'plugin', readonly ReadUnit[]>> {
  const guardrail = units.find(({ manifest }) => manifest.kind === 'guardrail');
  if (guardrail !== undefined) {
    throw new GatewayError(
      'invalid_config',
      `${guardrail.path} is a guardrail, and this version runs none: it would never check anything.`,
    );
  }
  const ofKind = (kind: 'provider' | 'plugin') => units.filter(({ manifest }) => manifest.kind === kind);
  const sorted = { provider: ofKind('provider'), plugin: ofKind('plugin') };
  for (const kind of ['provider', 'plugin'] as const) {
    createRegistry(
      kind,
      sorted[kind].map(({ manifest, path }) => ({ manifest, folder: path })),
    );
  }
  return sorted;
}

async function importUnit<Definition>(
  unit: ReadUnit,
  isDeclared: (value: unknown) => value is Definition,
): Promise<LoadedUnit<Definition>> {
  const { manifest, path, trust } = unit;
  const file = join(path, 'index.ts');
  const module = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'it threw something that is no error';
    throw new GatewayError('invalid_config', `${file} cannot be imported. ${why}`, { cause });
  });
  const definition: unknown = (module as { default?: unknown }).default;
  if (isDeclared(definition)) return { manifest, folder: path, trust, definition };
  const { kind } = manifest;
  const other = isProvider(definition) ? ', but it is a provider' : isPlugin(definition) ? ', but it is a plugin' : '';
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
async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
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
