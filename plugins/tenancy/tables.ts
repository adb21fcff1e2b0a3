import { baseColumns, type Migration } from 'portcullis/sdk';

export const migrations: readonly Migration[] = [
  {
    name: '001_tenancy',
    up: async (db) => {
      await db.schema.createTable('organisations', (table) => {
        baseColumns(table);
        table.string('name', 255).notNullable();
        table.unique(['slug']);
      });
      await db.schema.createTable('workspaces', (table) => {
        baseColumns(table);
        table.string('name', 255).notNullable();
        table.integer('is_default').notNullable();
        table.unique(['organisation_id', 'slug']);
        table.index(['organisation_id', 'status', 'created_at']);
      });
      await db.schema.createTable('users', (table) => {
        baseColumns(table);
        table.string('email', 255).notNullable();
        table.string('role', 32).notNullable();
        table.string('first_name', 255);
        table.string('last_name', 255);
        table.unique(['organisation_id', 'email']);
      });
      await db.schema.createTable('workspace_members', (table) => {
        baseColumns(table);
        table.string('user_id', 36).notNullable();
        table.string('role', 32).notNullable();
        table.unique(['workspace_id', 'user_id']);
        table.index(['organisation_id', 'user_id']);
      });
      await db.schema.createTable('invites', (table) => {
        baseColumns(table);
        table.string('email', 255).notNullable();
        table.string('role', 32).notNullable();
        table.bigInteger('expires_at').notNullable();
        table.index(['organisation_id', 'status', 'expires_at']);
      });
      // One row while an invitation is open: what makes the token work once, and an address be invited once.
      await db.schema.createTable('invite_tokens', (table) => {
        table.string('digest', 64).notNullable().primary();
        table.string('organisation_id', 36).notNullable();
        table.string('invite_id', 36).notNullable();
        table.string('email', 255).notNullable();
        table.bigInteger('expires_at').notNullable();
        table.unique(['organisation_id', 'email']);
        table.index(['invite_id']);
      });
    },
  },
];
