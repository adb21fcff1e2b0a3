import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { GatewayError, type Migration } from 'portcullis/sdk';
import { isUniqueViolation } from '../store/failures.ts';
import type { MigrationSet } from '../store/migration-records.ts';
import type { Store } from '../store/store.ts';
import { decrypt, encrypt, keyBytes } from './cipher.ts';
import type { KeyMaterial } from './key-material.ts';

/** `data` keys encrypt stored secrets; of the others there is one each, for good. */
type Purpose = 'data' | 'pepper' | 'checksum';

interface KeyRow {
  readonly id: string;
  readonly purpose: Purpose;
  readonly wrapped: string;
  /** Epoch milliseconds from which a data key encrypts; it decrypts before and after. */
  readonly active_from: number;
  readonly created_at: number;
}

/** The keys in clear. */
export interface KeyRing {
  readonly data: ReadonlyMap<string, Buffer>;
  /** Id of the newest data key that is active, by the clock given. */
  activeId(now: number): string;
  readonly pepper: Buffer;
  readonly checksum: Buffer;
}

const table = 'encryption_keys';

const encryptionKeys: Migration = {
  name: '001_encryption_keys',
  up: async (db) => {
    await db.schema.createTable(table, (columns) => {
      columns.string('id', 64).notNullable().primary();
      columns.string('purpose', 16).notNullable();
      columns.text('wrapped').notNullable();
      columns.bigInteger('active_from').notNullable();
      columns.bigInteger('created_at').notNullable();
    });
  },
};

/** The core's own tables: run them before those of any plugin. */
export const coreMigrations: MigrationSet = { plugin: 'core', migrations: [encryptionKeys] };

/**
 * Reads the keys, and makes them where there are none: several processes that start at once agree on one set.
 * @throws GatewayError `invalid_config` when the key-encryption key is another one
 */
export async function readKeyRing(store: Store, material: KeyMaterial, known?: KeyRing): Promise<KeyRing> {
  const rows = await keyRows(store.db);
  return unwrapped(rows.length > 0 ? rows : await makeKeys(store, material), material, known);
}

/** A new data key, which encrypts from the moment given. @returns its id */
export async function addDataKey(store: Store, material: KeyMaterial, activeFrom: number): Promise<string> {
  const row = newKey(newId(), 'data', material.key, activeFrom);
  await store.transaction(async (trx) => {
    // Also proves that the key-encryption key is the one that the others are wrapped with.
    unwrapped(await keyRows(trx), material);
    await trx(table).insert(row);
  });
  return row.id;
}

/** When the newest data key begins to encrypt: epoch milliseconds, maybe in the future. */
export async function newestActiveFrom({ db }: Store): Promise<number> {
  const row = await db<KeyRow>(table).where({ purpose: 'data' }).orderBy('active_from', 'desc').first('active_from');
  return row?.active_from ?? 0;
}

/**
 * Wraps all keys with `material.key`; what is wrapped with it already stays.
 * @returns how many were wrapped anew
 */
export async function wrapAnew(store: Store, material: KeyMaterial): Promise<number> {
  return store.transaction(async (trx) => {
    let changed = 0;
    for (const { id, purpose, wrapped } of await keyRows(trx)) {
      const context = contextOf(id, purpose);
      if (decrypt(material.key, wrapped, context) !== undefined) continue;
      const key = unwrap({ id, purpose, wrapped }, material);
      await trx(table)
        .where({ id })
        .update({ wrapped: encrypt(material.key, key, context) });
      changed += 1;
    }
    return changed;
  });
}

async function keyRows(db: Knex): Promise<readonly KeyRow[]> {
  return db<KeyRow>(table).select('*').orderBy('id');
}

async function makeKeys(store: Store, { key }: KeyMaterial): Promise<readonly KeyRow[]> {
  const rows = [
    newKey(newId(), 'data', key, 0),
    newKey('pepper', 'pepper', key, 0),
    newKey('checksum', 'checksum', key, 0),
  ];
  try {
    return await store.transaction(async (trx) => {
      const found = await keyRows(trx);
      if (found.length > 0) return found;
      await trx(table).insert(rows);
      return rows;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return keyRows(store.db);
  }
}

function newId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 12);
}

function newKey(id: string, purpose: Purpose, wrapper: Buffer, activeFrom: number): KeyRow {
  const wrapped = encrypt(wrapper, randomBytes(keyBytes), contextOf(id, purpose));
  return { id, purpose, wrapped, active_from: activeFrom, created_at: Date.now() };
}

function contextOf(id: string, purpose: Purpose): string {
  return `portcullis/${purpose}/${id}`;
}

function unwrapped(rows: readonly KeyRow[], material: KeyMaterial, known?: KeyRing): KeyRing {
  const dataRows = rows.filter(({ purpose }) => purpose === 'data');
  const only = (purpose: 'pepper' | 'checksum'): Buffer => {
    const row = rows.find((candidate) => candidate.purpose === purpose);
    if (row === undefined) throw new GatewayError('internal', `The table ${table} holds no ${purpose} key.`);
    return unwrap(row, material);
  };
  const data = new Map(dataRows.map((row) => [row.id, known?.data.get(row.id) ?? unwrap(row, material)]));
  const newestFirst = dataRows.toSorted(
    (one, other) => other.active_from - one.active_from || other.created_at - one.created_at,
  );
  return {
    data,
    activeId: (now) => {
      const row = newestFirst.find(({ active_from }) => active_from <= now) ?? newestFirst.at(-1);
      if (row === undefined) throw new GatewayError('internal', `The table ${table} holds no data key.`);
      return row.id;
    },
    pepper: known?.pepper ?? only('pepper'),
    // Not the stored key itself: what other processes get to see must not unlock anything else.
    checksum: known?.checksum ?? createHmac('sha256', only('checksum')).update('portcullis/checksum/1').digest(),
  };
}

function unwrap({ id, purpose, wrapped }: Pick<KeyRow, 'id' | 'purpose' | 'wrapped'>, material: KeyMaterial): Buffer {
  for (const wrapper of [material.key, ...material.previous]) {
    const key = decrypt(wrapper, wrapped, contextOf(id, purpose));
    if (key !== undefined) return key;
  }
  const text = `PORTCULLIS_ENCRYPTION_KEY does not fit this database: ${material.source} is not the key that its secrets were encrypted with. Give that key back; a new one is brought in by \`portcullis encryption rotate-key\`.`;
  throw new GatewayError('invalid_config', text, { param: 'PORTCULLIS_ENCRYPTION_KEY' });
}
