import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { GatewayError } from 'portcullis/sdk';
import { signatureName } from '../packages/package-files.ts';
import { signatureFits } from '../packages/signature.ts';
import { tarballOf } from '../packages/tarball.ts';
import type { Console } from './command.ts';
import type { PluginOptions } from './plugin.ts';
import { isPacked, readSource } from './plugin-source.ts';

/** Writes a plugin's package: the same bytes for the same files. */
export async function pack(path: string, { out: given }: PluginOptions, out: Console): Promise<number> {
  const { folder, manifest, files } = await readSource(path);
  const { name, version } = manifest;
  const file = given ?? `${name}-${version}.tgz`;
  if (isPacked(folder, file)) {
    const text = `${file} would stand in the folder that is packed, and in the next package. Name a place outside of ${folder}: --out FILE.tgz.`;
    throw new GatewayError('bad_request', text, { param: 'out' });
  }
  const bytes = tarballOf(name, files);
  await writeFile(file, bytes).catch((cause) => {
    throw new GatewayError('bad_request', `${file} cannot be written.`, { param: 'out', cause });
  });
  const signed = files.has(signatureName) ? '' : ' It is not signed: see portcullis plugin sign.';
  out.print(`${file}: ${files.size} files, ${bytes.length} bytes.${signed}`);
  if (!signatureFits(files))
    out.complain(`${signatureName} does not fit these files: they were changed since. See portcullis plugin sign.`);
  out.print(`sha256 ${createHash('sha256').update(bytes).digest('hex')}`);
  return 0;
}
