import { readdir, stat } from 'node:fs/promises';
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
 * folder is itself a unit, or holds units as direct subfolders.
 * @param root the folder that holds `providers/`, `guardrails/` and `plugins/`
 * @throws GatewayError `invalid_config` for an extra folder that cannot be read or holds no unit
 */
export async function discoverUnits(root: string, extra: readonly PluginFolder[]): Promise<readonly UnitFolder[]> {
  const own = Object.entries(builtIn).map(async ([folder, kind]) => {
    const found = (await foldersIn(join(root, folder))) ?? [];
    // A folder of nothing but leftovers is no unit; one with code and no manifest is, and is refused later.
    const units = await kept(
      found,
      async (path) => (await isFile(join(path, manifestName))) || isFile(join(path, 'index.ts')),
    );
    return units.map((path): UnitFolder => ({ path, trust: 'built-in', requireSignature: false, kind }));
  });
  return (await Promise.all([...own, ...extra.map(extraUnits)])).flat();
}

async function extraUnits(folder: PluginFolder, index: number): Promise<readonly UnitFolder[]> {
  const { path, trust, requireSignature } = folder;
  const param = `plugins.folders[${index}].path`;
  const found = await foldersIn(path);
  if (found === undefined)
    throw new GatewayError('invalid_config', `The plugin folder ${path} cannot be read.`, { param });
  const holdsManifest = (candidate: string) => isFile(join(candidate, manifestName));
  const units = (await holdsManifest(path)) ? [path] : await kept(found, holdsManifest);
  if (units.length === 0) {
    const text = `The plugin folder ${path} holds no unit: neither it nor a folder directly in it has a ${manifestName}.`;
    throw new GatewayError('invalid_config', text, { param });
  }
  return units.map((unit) => ({ path: unit, trust, requireSignature, kind: undefined }));
}

/** Follows symbolic links: operators mount plugins by them. */
async function foldersIn(path: string): Promise<readonly string[] | undefined> {
  const names = await readdir(path).catch(() => undefined);
  const visible = names?.filter((name) => !name.startsWith('.') && name !== 'node_modules').toSorted();
  return (
    visible &&
    kept(
      visible.map((name) => join(path, name)),
      async (entry) => (await stat(entry).catch(() => undefined))?.isDirectory() === true,
    )
  );
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

async function kept(paths: readonly string[], holds: (path: string) => Promise<boolean>): Promise<readonly string[]> {
  const verdicts = await Promise.all(paths.map(holds));
  return paths.filter((_, index) => verdicts[index]);
}
