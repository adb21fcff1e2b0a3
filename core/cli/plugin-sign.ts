import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import { signatureName } from '../packages/package-files.ts';
import { signatureOf } from '../packages/signature.ts';
import type { Console } from './command.ts';
import type { PluginOptions } from './plugin.ts';
import { readPrivateKey } from './plugin-key-files.ts';
import { isPacked, readSource } from './plugin-source.ts';

/** Writes plugin.sig, over every file that a package of the folder holds. */
export async function sign(path: string, { key: keys = [] }: PluginOptions, out: Console): Promise<number> {
  const [keyFile = '', other] = keys;
  if (other !== undefined) throw new GatewayError('bad_request', 'A plugin has one signature: give one key.');
  const { folder, manifest, files } = await readSource(path);
  if (isPacked(folder, keyFile)) {
    const text = `${keyFile} would go out with the package of the folder in which it stands. Keep private keys outside of ${folder}.`;
    throw new GatewayError('bad_request', text, { param: 'key' });
  }
  const key = await readPrivateKey(keyFile);
  const signature = await signatureOf(manifest, files, key);
  const file = join(folder, signatureName);
  await writeFile(file, `${signature}\n`).catch((cause) => {
    throw new GatewayError('bad_request', `${file} cannot be written (${cause.code ?? 'unknown reason'}).`, { cause });
  });
  const count = files.size - (files.has(signatureName) ? 1 : 0);
  out.print(`${manifest.name} ${manifest.version}: ${count} files signed by the key ${key.kid}.`);
  return 0;
}
