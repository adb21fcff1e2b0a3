import type { Migration } from 'portcullis/sdk';

export const countersTable = 'usage_counters';
export const writersTable = 'usage_writers';

/** To be run in the set `core`. */
export const counterMigrations: readonly Migration[] = [
  {
    name: '001_usage_counters',
    up: async (db) => {
      await db.schema.createTable(countersTable, (columns) => {
        columns.string('organisation_id', 36).notNullable();
        columns.string('name', 500).notNullable();
        columns.bigInteger('start').notNullable();
        columns.bigInteger('used').notNullable();
        columns.bigInteger('changed_at').notNullable().index();
        columns.primary(['organisation_id', 'name', 'start']);
      });
      await db.schema.createTable(writersTable, (columns) => {
        columns.string('id', 36).notNullable().primary();
        columns.bigInteger('batch').notNullable();
        columns.bigInteger('changed_at').notNullable().index();
      });
    },
  },
];
