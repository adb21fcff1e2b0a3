import { baseColumns, type Migration } from 'portcullis/sdk';

export const migrations: readonly Migration[] = [
  {
    name: '001_api_keys',
    up: async (db) => {
      await db.schema.createTable('api_keys', (table) => {
        baseColumns(table);
        table.string('type', 32).notNullable();
        table.string('user_id', 36);
        table.string('config_id', 36);
        table.bigInteger('expires_at');
        table.bigInteger('next_rotation_at');
        table.bigInteger('rotation_warned_for');
        table.index(['organisation_id', 'workspace_id', 'created_at']);
        table.index(['organisation_id', 'user_id']);
        table.index(['next_rotation_at']);
      });
      await db.schema.createTable('api_key_secrets', (table) => {
        table.string('id', 36).notNullable().primary();
        table.string('api_key_id', 36).notNullable();
        table.string('organisation_id', 36).notNullable();
        table.string('digest', 64).notNullable().unique();
        table.string('state', 16).notNullable();
        table.bigInteger('expires_at');
        table.bigInteger('warned_at');
        table.bigInteger('created_at').notNullable();
        table.text('sealed', 'longtext');
        table.index(['api_key_id']);
        table.index(['state', 'expires_at']);
      });
    },
  },
];
