import { hash, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { GatewayError } from 'portcullis/sdk';
import { recordsSettings } from '../config/control-settings.ts';
import { readEnvironment } from '../config/env.ts';
import { createGateway } from '../gateway.ts';
import { silentLog } from '../log.ts';
import type { Arguments, Console } from './command.ts';
import { loadConfig } from './operator.ts';

/**
 * Makes a key and the entry that stands for it in the operator's file; hashes a key given on standard input; or makes
 * another admin key of the control plane, for who has lost it.
 */
export async function keys({ words: [action, name], config: path }: Arguments, out: Console): Promise<number> {
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
  if (action === 'admin') return adminKey(path, out);
  throw new GatewayError(
    'bad_request',
    'Use: portcullis keys new NAME, portcullis keys hash < FILE, or portcullis keys admin.',
  );
}

/** Who may read the database's key may have an admin key too. */
async function adminKey(path: string | undefined, out: Console): Promise<number> {
  const { config } = await loadConfig(path);
  const settings = recordsSettings(readEnvironment(), config.controlPlugins);
  if (settings.control === undefined)
    throw new GatewayError('bad_request', 'This process has no control plane: SERVER_MODE is gateway.', {
      param: 'SERVER_MODE',
    });
  const gateway = await createGateway({ ...config, ...settings }, { log: silentLog });
  try {
    const welcome = gateway.control?.welcome ?? [];
    const lines = welcome.length > 0 ? welcome : ((await gateway.control?.startAgain('api-keys')) ?? []);
    for (const line of lines) out.print(line);
    return 0;
  } finally {
    await gateway.close();
  }
}

function entry(name: string, key: string): string {
  return `keys:\n  - name: ${JSON.stringify(name)}\n    sha256: ${hash('sha256', key, 'hex')}`;
}
