import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError, type Manifest } from 'portcullis/sdk';
import type { PluginFolder } from '../config/gateway-config.ts';

export const manifestName = 'plugin.json';

/** A folder that holds one unit, before anything of it is read. */
export interface UnitFolder {
  readonly path: string;
  readonly trust: 'built-in' | PluginFolder['trust'];
  readonly requireSignature: boolean;
  /** What the place demands of the manifest; undefined: any kind. */
  readonly kind: Manifest['kind'] | undefined;
}

const builtIn = { providers: 'provider', guardrails: 'guardrail', plugins: 'plugin' } as const;

/**
 * Finds the units of this repository and those of the operator's extra folders, in the order of their paths. An extra
 * folder is itself a unit, or holds units as direct subfolders. It waits for the disk: hundreds of small reads take a
 * fraction of the time so, and nobody is served yet.
 * @param root the folder that holds `providers/`, `guardrails/` and `plugins/`
 * @throws GatewayError `invalid_config` for an extra folder that cannot be read or holds no unit
 */
export function discoverUnits(root: string, extra: readonly PluginFolder[]): readonly UnitFolder[] {
  const own = Object.entries(builtIn).flatMap(([folder, kind]) =>
    (foldersIn(join(root, folder)) ?? [])
      // A folder of nothing but leftovers is no unit; one with code and no manifest is, and is refused later.
      .filter((path) => holdsManifest(path) || isFile(join(path, 'index.ts')))
      .map((path): UnitFolder => ({ path, trust: 'built-in', requireSignature: false, kind })),
  );
  return [...own, ...extra.flatMap(extraUnits)];
}

function extraUnits(folder: PluginFolder, index: number): readonly UnitFolder[] {
  const { path, trust, requireSignature } = folder;
  const param = `plugins.folders[${index}].path`;
  const found = foldersIn(path);
  if (found === undefined)
    throw new GatewayError('invalid_config', `The plugin folder ${path} cannot be read.`, { param });
  const units = holdsManifest(path) ? [path] : found.filter(holdsManifest);
  if (units.length === 0) {
    const text = `The plugin folder ${path} holds no unit: neither it nor a folder directly in it has a ${manifestName}.`;
    throw new GatewayError('invalid_config', text, { param });
  }
  return units.map((unit) => ({ path: unit, trust, requireSignature, kind: undefined }));
}

/** Follows symbolic links: operators mount plugins by them. */
function foldersIn(path: string): readonly string[] | undefined {
  let names: readonly string[];
  try {
    names = readdirSync(path);
  } catch {
    return undefined;
  }
  return names
    .filter((name) => !name.startsWith('.') && name !== 'node_modules')
    .toSorted()
    .map((name) => join(path, name))
    .filter((entry) => statOf(entry)?.isDirectory() === true);
}

function holdsManifest(path: string): boolean {
  return isFile(join(path, manifestName));
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

/** Undefined: nothing that can be looked at. */
function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
