import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { PackageFiles } from '../../../core/packages/package-files.ts';
import { signatureOf } from '../../../core/packages/signature.ts';
import { newPrivateKey, type PrivateKey } from '../../../core/packages/signing-keys.ts';
import { manifestOf } from '../loader/unit-folders.ts';

/** The files of a small guardrail, or others. */
export function filesOf(given: Readonly<Record<string, string>> = {}): Map<string, Uint8Array> {
  const files = { 'index.ts': 'export default 1;\n', 'plugin.json': manifestText(), ...given };
  return new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
}

export function manifestText(fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify(manifestOf('acme', { kind: 'guardrail', ...fields }));
}

/** The same files with a plugin.sig. */
export async function signed(
  files: PackageFiles,
  key?: PrivateKey,
): Promise<{ readonly files: Map<string, Uint8Array>; readonly key: PrivateKey }> {
  const by = key ?? (await newPrivateKey());
  const { name, version } = JSON.parse(new TextDecoder().decode(files.get('plugin.json')));
  const signature = await signatureOf({ name, version }, files, by);
  return { files: new Map([...files, ['plugin.sig', Buffer.from(`${signature}\n`)]]), key: by };
}

/** A folder that is removed when the test ends. */
export async function emptyFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-packages-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
