import type { Migration } from 'portcullis/sdk';

export const batchTable = 'batches';
export const pieceTable = 'batch_pieces';

/** To be run in the set `core`. */
export const batchMigrations: readonly Migration[] = [
  {
    name: '001_batches',
    up: async (db) => {
      await db.schema.createTable(batchTable, (columns) => {
        columns.string('id', 64).notNullable().primary();
        columns.string('scope', 36).notNullable();
        columns.string('holder', 36).notNullable();
        columns.string('status', 20).notNullable();
        columns.bigInteger('created_at').notNullable().index();
        columns.bigInteger('cancelling_at');
        columns.bigInteger('heartbeat_at').notNullable();
        columns.text('facts', 'longtext').notNullable();
        columns.index(['scope', 'created_at', 'id']);
      });
      await db.schema.createTable(pieceTable, (columns) => {
        columns.string('batch_id', 64).notNullable();
        columns.string('kind', 10).notNullable();
        columns.integer('number').notNullable();
        columns.text('content', 'longtext').notNullable();
        columns.primary(['batch_id', 'kind', 'number']);
      });
    },
  },
];
