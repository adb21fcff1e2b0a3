import type { Reaction } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';

/** Whether anyone has ever had a key to call models with: until then anyone on this machine may call. */
export interface IssuedKeys {
  any(): boolean;
  readonly reactions: Readonly<Record<string, Reaction>>;
}

/** The tables of the core that its own reactions write. */
export const coreTables: ReadonlySet<string> = new Set(['first_start']);

/** It stays true when that key is gone: who held it must not become an anonymous caller. */
export async function issuedKeys({ db, dialect }: Store): Promise<IssuedKeys> {
  const row = (await db('first_start').first()) as { readonly keys_issued_at: number | null } | undefined;
  // A database of its own server is a deployment, where nobody is anonymous.
  let issued = dialect === 'mysql' || (row !== undefined && row.keys_issued_at !== null);
  return {
    any: () => issued,
    reactions: {
      'api_keys.created': async (operation, key) => {
        if (key.workspace_id === null || issued) return;
        await operation.db('first_start').whereNull('keys_issued_at').update({ keys_issued_at: operation.now });
        operation.afterCommit(() => {
          issued = true;
        });
      },
    },
  };
}
