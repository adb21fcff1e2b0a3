import { accessSync, constants } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where an installed program is, or undefined. */
export function findProgram(name: string): string | undefined {
  // The places of servers are not on every user's path.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether proxies and load can be kept on cores of their own. */
export function canPin(): boolean {
  return process.platform === 'linux' && availableParallelism() >= 2 && findProgram('taskset') !== undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
