import { GatewayError } from 'portcullis/sdk';
import { readEnvironment } from '../config/env.ts';
import { silentLog } from '../log.ts';
import { installNextKey, type KeyMaterial, keyMaterialOf, prepareNextKey } from '../secrets/key-material.ts';
import { readKeyRing, wrapAnew } from '../secrets/key-ring.ts';
import { rotateData } from '../secrets/reseal.ts';
import { coreMigrations, openVault, standardRefreshMs } from '../secrets/vault.ts';
import { pendingMigrations } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import type { Arguments, Console } from './command.ts';
import { withStore } from './migrate.ts';

const actions: Readonly<Record<string, (store: Store, flags: ReadonlySet<string>, out: Console) => Promise<number>>> = {
  'rotate-key': rotateKey,
  'rotate-data': rotateDataKey,
};

// Gateways that run learn of a new key within one interval; the second is for slow answers and clocks that differ.
const graceMs = 2 * standardRefreshMs;

/** Changes the key that the operator holds, or the one that stored secrets are encrypted with. */
export async function encryption({ words, flags }: Arguments, out: Console): Promise<number> {
  const [name = '', extra] = words;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined || extra !== undefined) {
    throw new GatewayError(
      'bad_request',
      'Use: portcullis encryption rotate-key, or: portcullis encryption rotate-data [--now].',
    );
  }
  return withStore(async (store) => {
    if ((await pendingMigrations(store, [coreMigrations])).length > 0) {
      throw new GatewayError('bad_request', 'The database has no encryption keys yet. Run: portcullis migrate');
    }
    return action(store, flags, out);
  });
}

async function rotateKey(store: Store, _flags: ReadonlySet<string>, out: Console): Promise<number> {
  const material = keyMaterialOf(readEnvironment());
  // Refuses a key that does not fit before anything is written.
  await readKeyRing(store, material);
  if (material.file === undefined) {
    const changed = await wrapAnew(store, material);
    const text =
      changed === 0
        ? `All keys are encrypted with ${material.source} already.`
        : `${changed} keys are encrypted with ${material.source} now. Every gateway needs it from its next start on; PORTCULLIS_ENCRYPTION_KEY_PREVIOUS may go.`;
    out.print(text);
    return 0;
  }
  await replaceKeyFile(store, material, material.file, out);
  return 0;
}

/** The new key is on the disk before anything is encrypted with it; a start between the steps tries both. */
async function replaceKeyFile(
  store: Store,
  { key, previous, source }: KeyMaterial,
  file: string,
  out: Console,
): Promise<void> {
  const next = prepareNextKey(file);
  await wrapAnew(store, { key: next, previous: [key, ...previous], source });
  installNextKey(file);
  out.print(`${file} holds a new key now. Back it up: without it the stored secrets are lost.`);
}

async function rotateDataKey(store: Store, flags: ReadonlySet<string>, out: Console): Promise<number> {
  const vault = await openVault(store, keyMaterialOf(readEnvironment()), silentLog);
  try {
    const options = { graceMs: flags.has('now') ? 0 : graceMs, note: (text: string) => out.print(text) };
    const { changed, unreadable } = await rotateData(store, vault, options);
    out.print(`${changed} stored secrets were sealed with the newest data key.`);
    for (const context of unreadable) out.complain(`No key of this database opens the secret of ${context}.`);
    return unreadable.length === 0 ? 0 : 1;
  } finally {
    vault.close();
  }
}
