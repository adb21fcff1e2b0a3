import { writeFile } from 'node:fs/promises';
import { GatewayError } from 'portcullis/sdk';
import { newPrivateKey, publicPart } from '../packages/signing-keys.ts';
import type { Console } from './command.ts';
import type { PluginOptions } from './plugin.ts';

/** Makes a key to sign plugins with: the private half goes into a file of its own, the public one is printed. */
export async function keygen(_: string, { out: file = '' }: PluginOptions, out: Console): Promise<number> {
  const key = await newPrivateKey();
  await writeFile(file, `${JSON.stringify(key)}\n`, { mode: 0o600, flag: 'wx', flush: true }).catch((cause) => {
    const why = cause.code === 'EEXIST' ? 'exists, and no key is written over' : 'cannot be written';
    throw new GatewayError('bad_request', `${file} ${why}.`, { param: 'out', cause });
  });
  out.print(JSON.stringify(publicPart(key)));
  return 0;
}
