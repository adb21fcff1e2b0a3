import { GatewayError } from 'portcullis/sdk';

/** What a package holds: bytes by relative path, sorted. */
export type PackageFiles = ReadonlyMap<string, Uint8Array>;

export const signatureName = 'plugin.sig';
export const maxFiles = 1000;
/** Of all files together. */
export const maxBytes = 20 * 1024 * 1024;

const maxPath = 100;
/** Hidden files are none of a package's, so no part begins with a dot; no part ends with one, for some systems drop it. */
const part = /^(?!\.)[A-Za-z0-9._@+-]+(?<!\.)$/;

/** Why a path cannot stand in a package, as a sentence's end; undefined: it can. */
export function pathFault(path: string): string | undefined {
  if (path.length > maxPath) return `is longer than ${maxPath} characters`;
  if (path.split('/').every((name) => part.test(name) && name !== 'node_modules')) return undefined;
  return 'is not a relative path of letters, digits, dots, dashes, underscores, @ and + without hidden parts and node_modules';
}

/** @throws GatewayError `invalid_config` with a line for each fault. `where` begins the lines. */
export function checkFiles(files: PackageFiles, where: string): void {
  const faults: string[] = [];
  const seen = new Map<string, string>();
  let bytes = 0;
  for (const [path, content] of files) {
    bytes += content.byteLength;
    const fault = pathFault(path);
    if (fault !== undefined) faults.push(`${where}: ${JSON.stringify(path)} ${fault}.`);
    const twin = seen.get(path.toLowerCase());
    if (twin !== undefined) faults.push(`${where}: ${twin} and ${path} are one file on some systems.`);
    seen.set(path.toLowerCase(), path);
  }
  for (const path of files.keys()) {
    const file = foldersOf(path.toLowerCase())
      .map((folder) => seen.get(folder))
      .find((found) => found !== undefined);
    if (file !== undefined) faults.push(`${where}: ${file} cannot be a file and a folder of ${path}.`);
  }
  if (files.size > maxFiles) faults.push(tooMany(where));
  if (bytes > maxBytes) faults.push(tooLarge(where));
  if (!files.has('plugin.json')) faults.push(`${where} holds no plugin.json.`);
  if (faults.length > 0) throw new GatewayError('invalid_config', faults.join('\n'));
}

function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

export function tooMany(where: string): string {
  return `${where} holds more than ${maxFiles.toLocaleString('en')} files.`;
}

export function tooLarge(where: string): string {
  return `${where} holds more than ${maxBytes / 1024 / 1024} MiB.`;
}
