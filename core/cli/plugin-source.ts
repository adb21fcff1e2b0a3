import { stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { GatewayError, type Manifest } from 'portcullis/sdk';
import { readManifest } from '../loader/manifest.ts';
import { isLeftOut, readFolder } from '../packages/folder-files.ts';
import { checkFiles, type PackageFiles } from '../packages/package-files.ts';
import { readTarball } from '../packages/tarball.ts';

/** A plugin as its author has it. */
export interface Source {
  /** Absolute. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** What a package of it holds. */
  readonly files: PackageFiles;
}

/**
 * Reads a plugin's folder and checks its manifest; none of its code runs.
 * @throws GatewayError `invalid_config` naming what cannot stand in a package
 */
export async function readSource(path: string): Promise<Source> {
  const folder = resolve(path);
  const manifest = readManifest({ path: folder, kind: undefined });
  return { folder, manifest, files: await packageFilesOf(folder) };
}

/** @throws GatewayError `invalid_config` for links, and whatever else no package can hold */
export async function packageFilesOf(folder: string): Promise<PackageFiles> {
  const { files, strange } = await readFolder(folder, { hidden: false });
  if (strange.length > 0) {
    const lines = strange.map((path) => `${join(folder, path)} is a link, or something else that is no file.`);
    throw new GatewayError('invalid_config', lines.join('\n'));
  }
  checkFiles(files, folder);
  return files;
}

/** Whether a package of the folder holds what stands at the path. */
export function isPacked(folder: string, path: string): boolean {
  const below = relative(folder, resolve(path));
  return !isAbsolute(below) && below.split(sep).every((name) => !isLeftOut(name));
}

/** Whether a path is of a package's file, not of a folder. @throws GatewayError when nothing is there */
export async function isPackage(path: string): Promise<boolean> {
  const found = await stat(path).catch((cause) => {
    throw new GatewayError('bad_request', `${path} cannot be read.`, { cause });
  });
  return found.isFile();
}

/** The files of a plugin's folder or package. */
export async function filesAt(path: string): Promise<PackageFiles> {
  return (await isPackage(path)) ? (await readTarball(path)).files : packageFilesOf(resolve(path));
}
