import type { Migration } from 'portcullis/sdk';

export const affinityTable = 'affinity';

/** To be run in the set `core`. */
export const affinityMigrations: readonly Migration[] = [
  {
    name: '001_affinity',
    up: async (db) => {
      await db.schema.createTable(affinityTable, (columns) => {
        columns.string('id_hash', 64).notNullable();
        columns.string('scope', 36).notNullable();
        columns.string('kind', 20).notNullable();
        columns.string('target', 64).notNullable();
        columns.string('provider', 100).notNullable();
        columns.string('provider_slug', 255);
        columns.bigInteger('created_at').notNullable();
        columns.bigInteger('expires_at').notNullable().index();
        columns.primary(['id_hash', 'scope']);
      });
    },
  },
];
