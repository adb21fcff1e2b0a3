import { hash, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { GatewayError } from 'portcullis/sdk';
import type { Arguments, Console } from './command.ts';

/** Makes a key and the entry that stands for it in the operator's file; or hashes a key given on standard input. */
export async function keys({ words: [action, name] }: Arguments, out: Console): Promise<number> {
  if (action === 'new' && name !== undefined) {
    const key = `pc_${randomBytes(24).toString('base64url')}`;
    out.print(`The key, shown only now:\n  ${key}\n\nIts entry in portcullis.yaml:\n${entry(name, key)}`);
    return 0;
  }
  if (action === 'hash') {
    const key = (await text(process.stdin)).trim();
    if (key === '') throw new GatewayError('bad_request', 'Give the key on standard input.');
    out.print(hash('sha256', key, 'hex'));
    return 0;
  }
  throw new GatewayError('bad_request', 'Use: portcullis keys new NAME, or: portcullis keys hash < FILE.');
}

function entry(name: string, key: string): string {
  return `keys:\n  - name: ${JSON.stringify(name)}\n    sha256: ${hash('sha256', key, 'hex')}`;
}
