import type { Db, Operation } from 'portcullis/sdk';
import { newSecret } from './key-format.ts';

/** What of a secret is stored: never itself. */
export interface SecretRow {
  readonly id: string;
  readonly api_key_id: string;
  readonly organisation_id: string;
  /** Peppered: the table alone lets nobody in, and finds nobody's key. */
  readonly digest: string;
  readonly state: 'current' | 'transition';
  /** Of one in transition: from then on it is dead. */
  readonly expires_at: number | null;
  /** When people were told that it dies. */
  readonly warned_at: number | null;
  readonly created_at: number;
  /** The secret encrypted, where nobody was there to be shown it; gone once it has been fetched. */
  readonly sealed: string | null;
}

/** Makes secrets: the mechanisms behind, and the prefix of the operator. */
export interface SecretMaker {
  readonly prefix: string;
  randomText(length: number): string;
}

export function makeSecret(operation: Operation, { prefix, randomText }: SecretMaker): string {
  return newSecret(prefix, randomText, operation.checksum);
}

export function secretRows(db: Db) {
  return db<SecretRow>('api_key_secrets');
}

const contextOf = (id: string) => `api_key_secrets/${id}`;

/** @param keep whether the secret can be fetched later, once, for nobody sees it now */
export async function addSecret(operation: Operation, keyId: string, secret: string, keep: boolean): Promise<void> {
  const id = operation.newId();
  await secretRows(operation.db).insert({
    id,
    api_key_id: keyId,
    organisation_id: operation.scope.organisationId,
    digest: operation.digest(secret),
    state: 'current',
    expires_at: null,
    warned_at: null,
    created_at: operation.now,
    sealed: keep ? operation.seal(secret, contextOf(id)) : null,
  });
}

/** The kept secret, which is then kept no longer; undefined: there is none, or someone was faster. */
export async function takeKeptSecret(operation: Operation, keyId: string): Promise<string | undefined> {
  const row = await secretRows(operation.db)
    .where({ api_key_id: keyId, state: 'current' })
    .whereNotNull('sealed')
    .first();
  if (row === undefined || row.sealed === null) return undefined;
  const taken = await secretRows(operation.db).where('id', row.id).whereNotNull('sealed').update({ sealed: null });
  return Number(taken) === 1 ? operation.unseal(row.sealed, contextOf(row.id)) : undefined;
}

export async function forgetSecrets(operation: Operation, keyId: string): Promise<void> {
  await secretRows(operation.db).where('api_key_id', keyId).delete();
}
