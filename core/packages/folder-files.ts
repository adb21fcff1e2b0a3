import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import { maxBytes, maxFiles, type PackageFiles, tooLarge, tooMany } from './package-files.ts';

export interface FolderFiles {
  readonly files: PackageFiles;
  /** Paths of what is neither file nor folder: links, sockets, devices. None is followed. */
  readonly strange: readonly string[];
}

interface Entry {
  readonly path: string;
  readonly isFile: boolean;
}

/**
 * Reads all files below a folder.
 * @param hidden whether names with a dot in front and `node_modules` count: a package leaves them out
 * @throws GatewayError `invalid_config` for a folder that cannot be read, or holds more than a package may
 */
export async function readFolder(folder: string, { hidden }: { readonly hidden: boolean }): Promise<FolderFiles> {
  const entries: Entry[] = [];
  await list(folder, '', hidden, entries);
  const files = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const { path } of entries.filter(({ isFile }) => isFile).toSorted(byPath)) {
    const file = join(folder, path);
    const { size } = await lstat(file).catch((cause) => unreadable(file, cause));
    bytes += size;
    if (bytes > maxBytes) throw new GatewayError('invalid_config', tooLarge(folder));
    files.set(path, await readFile(file).catch((cause) => unreadable(file, cause)));
  }
  return { files, strange: entries.filter(({ isFile }) => !isFile).map(({ path }) => path) };
}

async function list(root: string, below: string, hidden: boolean, found: Entry[]): Promise<void> {
  const folder = join(root, below);
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => unreadable(folder, cause));
  for (const entry of entries) {
    if (!hidden && isLeftOut(entry.name)) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) await list(root, path, hidden, found);
    else found.push({ path, isFile: entry.isFile() });
    if (found.length > maxFiles) throw new GatewayError('invalid_config', tooMany(root));
  }
}

/** Files and folders of such names are none of a package's. */
export function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

function byPath(a: Entry, b: Entry): number {
  return a.path < b.path ? -1 : 1;
}

function unreadable(path: string, cause: NodeJS.ErrnoException): never {
  const why = cause.code === 'ENOENT' ? 'is not there' : `cannot be read (${cause.code ?? 'unknown reason'})`;
  throw new GatewayError('invalid_config', `${path} ${why}.`, { cause });
}
