import type { DirectoryReader, StoredRecord } from 'portcullis/sdk';
import type { DirectorySource } from '../../../core/directory/source.ts';
import { createStoreSource } from '../../../core/directory/store-source.ts';
import { bumpVersion, directoryMigrations } from '../../../core/directory/versions.ts';
import { migrate } from '../../../core/store/migrate.ts';
import type { Store } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { workspace } from './support.ts';

/** A source with a way to change what it reads. */
export interface Sourced {
  readonly source: DirectorySource;
  readonly sibling: DirectorySource;
  put(id: string, entry: { readonly organisationId: string; readonly name: string }): Promise<void>;
  remove(id: string, organisationId: string): Promise<void>;
  close?(): Promise<void>;
}

export async function overStore(store: Store): Promise<Sourced> {
  const tables = {
    name: '001_sample',
    up: async (db: Store['db']) => {
      await db.schema.createTable('samples', (columns) => {
        columns.string('id', 255).notNullable().primary();
        columns.string('organisation_id', 36).notNullable();
        columns.text('entry').notNullable();
      });
    },
  };
  const sets = [{ plugin: 'core', migrations: [...directoryMigrations, tables] }];
  await migrate(store, sets, recordingLog().log);
  const read = async ({ db }: DirectoryReader, where: object) => {
    const row = await db('samples').where(where).first();
    return row === undefined ? undefined : JSON.parse(row.entry);
  };
  const made = () =>
    createStoreSource({
      store,
      vault: { unseal: (sealed) => sealed, pepper: (digest) => digest },
      now: Date.now,
      knows: () => true,
      records: () => () => ({
        find: async () => undefined as StoredRecord | undefined,
        list: async () => ({ total: 0, records: [] }),
        secrets: async () => ({}),
      }),
      loaders: () => ({
        key: (reader, [id]) => read(reader, { id }),
        workspace: (reader, [organisation_id, id]) => read(reader, { organisation_id, id }),
      }),
    });
  const change = (organisationId: string, work: (trx: Store['db']) => Promise<unknown>) =>
    store.transaction(async (trx) => {
      await work(trx);
      await bumpVersion(trx, organisationId, Date.now());
    });
  return {
    source: made(),
    sibling: made(),
    put: (id, { organisationId, name }) =>
      change(organisationId, (trx) =>
        trx('samples')
          .insert({ id, organisation_id: organisationId, entry: JSON.stringify(workspace(organisationId, { name })) })
          .onConflict('id')
          .merge(),
      ),
    remove: (id, organisationId) => change(organisationId, (trx) => trx('samples').where({ id }).delete()),
  };
}
