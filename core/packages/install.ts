import { lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asObject, asString, GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';
import semver from 'semver';
import { manifestName } from '../loader/discover.ts';
import type { PackageFiles } from './package-files.ts';

/** A version that is there. */
export interface InstalledUnit {
  readonly version: string;
  /** As it stands in the file: it may be of another version of the sdk. */
  readonly manifest: JsonObject;
}

/**
 * The plugin that an installation would replace; undefined: there is none.
 * @throws GatewayError `invalid_config` for anything else in its place: nothing of it would come back
 */
export async function installedIn(into: string, name: string): Promise<InstalledUnit | undefined> {
  const target = join(into, name);
  const refuse = (path: string, why: string): never => {
    throw new GatewayError('invalid_config', `${path} ${why}`);
  };
  if ((await kindOf(join(into, manifestName))) !== undefined)
    refuse(into, 'is itself a plugin. Name the folder that holds plugins.');
  const kind = await kindOf(target);
  if (kind === undefined) return undefined;
  if (kind !== 'folder') refuse(target, `is a ${kind}, no plugin, and stays as it is.`);
  const text = await readFile(join(target, manifestName), 'utf8').catch(() => '');
  const manifest = asObject(parseJson(text));
  const version = semver.valid(asString(manifest?.version));
  if (manifest === undefined || manifest.name !== name || version === null)
    return refuse(target, `is no folder of the plugin ${name}, and stays as it is.`);
  return { version, manifest };
}

/**
 * Puts files beside their place, hidden from the gateway, and onto the disk.
 * @returns their folder, which is named as the plugin
 * @throws GatewayError `bad_request` where no folder can be written; then nothing is left behind
 */
export async function stage(into: string, name: string, files: PackageFiles): Promise<string> {
  const made = mkdir(into, { recursive: true }).then(() => mkdtemp(join(into, `.install-${name}-${process.pid}-`)));
  const folder = join(await made.catch(unwritable(into)), name);
  try {
    for (const [path, content] of files) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: 0o644, flush: true });
    }
    await flushed(folder);
  } catch (cause) {
    await unstage(folder);
    unwritable(into)(cause);
  }
  return folder;
}

/** Removes what `stage` made. */
export async function unstage(staged: string): Promise<void> {
  await rm(dirname(staged), { recursive: true, force: true });
}

/** Puts a staged plugin in its place. The version before is kept until that has been done, and comes back if it cannot be. */
export async function swapIn(staged: string, into: string): Promise<void> {
  const name = staged.slice(dirname(staged).length + 1);
  const [target, backup] = [join(into, name), backupOf(into, name)];
  const replaces = (await kindOf(target)) !== undefined;
  if (replaces) await rename(target, backup).catch(unwritable(into));
  try {
    await rename(staged, target);
  } catch (cause) {
    if (replaces) await rename(backup, target);
    throw new GatewayError('invalid_config', `${target} could not be put in its place. All is as it was.`, { cause });
  }
  await flushed(into);
  await rm(backup, { recursive: true, force: true }).catch(unwritable(into));
}

/** No installation takes longer. */
const longestMs = 3_600_000;

/** Removes what installations that were interrupted have staged, of whatever plugin. */
async function clear(into: string): Promise<void> {
  for (const entry of await readdir(into).catch(() => [])) {
    const [, pid] = /^\.install-.+-(\d+)-[^-]+$/.exec(entry) ?? [];
    if (
      !entry.startsWith('.install-') ||
      (pid !== undefined && isRunning(Number(pid)) && (await isFresh(join(into, entry))))
    )
      continue;
    await rm(join(into, entry), { recursive: true, force: true }).catch(unwritable(into));
  }
}

/** Another process has that number. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isFresh(path: string): Promise<boolean> {
  const { mtimeMs = 0 } = (await lstat(path).catch(() => undefined)) ?? {};
  return Date.now() - mtimeMs < longestMs;
}

/** After an installation that was interrupted: the version before it comes back, or goes. @returns whether it came back */
export async function recover(into: string, name: string): Promise<boolean> {
  await clear(into);
  const [target, backup] = [join(into, name), backupOf(into, name)];
  if ((await kindOf(backup)) === undefined) return false;
  if ((await kindOf(target)) !== undefined) {
    await rm(backup, { recursive: true, force: true }).catch(unwritable(into));
    return false;
  }
  await rename(backup, target).catch(unwritable(into));
  return true;
}

function backupOf(into: string, name: string): string {
  return join(into, `.${name}.before`);
}

function unwritable(into: string): (cause: unknown) => never {
  return (cause) => {
    const why = (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
    const text = `${into} cannot be written (${why}). Name a folder that holds plugins, or one that is not there yet.`;
    throw new GatewayError('bad_request', text, { param: 'into', cause });
  };
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'link' | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'file';
}

/** The names in a folder are on the disk too. */
async function flushed(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    // Some systems have no such thing as flushing a folder.
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}
