import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import type { SigningKey } from '../config/gateway-config.ts';
import { readFolder } from '../packages/folder-files.ts';
import { signatureName } from '../packages/package-files.ts';
import { signatureFaults, verifyFiles } from '../packages/signature.ts';
import { type KeyRing, keyRingOf } from '../packages/signing-keys.ts';
import type { UnitFolder } from './discover.ts';

/**
 * Looks at the signatures of units: one that is there counts wherever keys are given, and it must be there where the folder
 * demands it. It covers every file below the unit's folder, hidden ones too; links are refused.
 *
 * What it does not cover: files that change after this look, until the code is imported and whenever it reads files itself,
 * so only the operator may write to the folder; what trusted code imports from outside its folder, packages included; and
 * the folder's own name and place, which may be a link.
 * @returns a sentence for each fault: file and reason
 * @throws GatewayError `invalid_config` for a key that is none
 */
export async function trustFaults(
  units: readonly UnitFolder[],
  signingKeys: readonly SigningKey[],
): Promise<readonly string[]> {
  const keys = await keyRingOf(signingKeys, 'plugins.signing_keys');
  const faults = await Promise.all(units.map((unit) => unitFaults(unit, keys)));
  return faults.flat();
}

async function unitFaults(
  { path: folder, trust, requireSignature }: UnitFolder,
  keys: KeyRing,
): Promise<readonly string[]> {
  if (trust === 'built-in') return [];
  const signature = join(folder, signatureName);
  if (!(await exists(signature)))
    return requireSignature ? [`${signature} is missing: the folder demands signatures (require_signature).`] : [];
  if (keys.size === 0) {
    const why = 'cannot be verified: plugins.signing_keys lists no key, and the folder demands signatures.';
    return requireSignature ? [`${signature} ${why}`] : [];
  }
  try {
    return await fileFaults(folder, keys);
  } catch (error) {
    if (GatewayError.is(error)) return [error.message];
    throw error;
  }
}

async function fileFaults(folder: string, keys: KeyRing): Promise<readonly string[]> {
  const { files, strange } = await readFolder(folder, { hidden: true });
  const links = strange.map((path) => `${join(folder, path)} is a link, or something else that no signature covers.`);
  if (strange.includes(signatureName)) return links;
  return [...signatureFaults(await verifyFiles(files, keys), (path) => join(folder, path)), ...links];
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
