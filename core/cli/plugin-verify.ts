import { resolve } from 'node:path';
import { readFolder } from '../packages/folder-files.ts';
import { type PackageFiles, signatureName } from '../packages/package-files.ts';
import { verifyFiles } from '../packages/signature.ts';
import { keyRingOf } from '../packages/signing-keys.ts';
import { readTarball } from '../packages/tarball.ts';
import type { Console } from './command.ts';
import type { PluginOptions } from './plugin.ts';
import { readPublicKeys } from './plugin-key-files.ts';
import { isPackage } from './plugin-source.ts';

/** Holds a package or a folder against its signature, as strictly as the gateway; the code is 1 when they differ. */
export async function verify(path: string, { key = [] }: PluginOptions, out: Console): Promise<number> {
  const keys = await keyRingOf(await readPublicKeys(key), '--key');
  const { files, strange } = await allFilesAt(path);
  const { signedBy, refusal, altered, missing, added } = await verifyFiles(files, keys);
  const lines = [
    ...(refusal === undefined ? [] : [`${signatureName} ${refusal}.`]),
    ...altered.map((file) => `altered  ${file}`),
    ...missing.map((file) => `missing  ${file}`),
    ...added.map((file) => `added    ${file}`),
    ...strange.map((file) => `no file  ${file}`),
  ];
  if (lines.length === 0) {
    out.print(`${path}: ${files.size - 1} files are as the key ${signedBy} has signed them.`);
    return 0;
  }
  for (const line of lines) out.complain(line);
  return 1;
}

/** In a folder also what no package holds: nothing may stand beside what was signed. */
async function allFilesAt(
  path: string,
): Promise<{ readonly files: PackageFiles; readonly strange: readonly string[] }> {
  if (await isPackage(path)) return { files: (await readTarball(path)).files, strange: [] };
  return readFolder(resolve(path), { hidden: true });
}
