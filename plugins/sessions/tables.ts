import type { Migration } from 'portcullis/sdk';

export const migrations: readonly Migration[] = [
  {
    name: '001_sessions',
    up: async (db) => {
      await db.schema.createTable('sessions', (table) => {
        table.string('id', 36).notNullable().primary();
        table.string('organisation_id', 36).notNullable();
        table.string('user_id', 36).notNullable();
        table.string('digest', 64).notNullable();
        table.string('method', 16).notNullable();
        table.string('client_ip', 64).notNullable();
        table.string('user_agent', 255);
        table.bigInteger('started_at').notNullable();
        table.bigInteger('expires_at').notNullable();
        table.unique(['digest']);
        table.index(['organisation_id', 'user_id', 'started_at']);
        table.index(['expires_at']);
      });
      // One row a user: how a person is found before it is known of which organisation.
      await db.schema.createTable('credentials', (table) => {
        table.string('user_id', 36).notNullable().primary();
        table.string('organisation_id', 36).notNullable();
        table.string('email', 255).notNullable();
        table.string('status', 32).notNullable();
        table.string('password', 255);
        table.bigInteger('password_at');
        table.bigInteger('created_at').notNullable();
        table.unique(['organisation_id', 'email']);
        table.index(['email', 'created_at']);
      });
      await db.schema.createTable('login_attempts', (table) => {
        table.string('name', 64).notNullable().primary();
        table.bigInteger('full_until').notNullable();
        table.bigInteger('last_at').notNullable();
        table.bigInteger('touched_at').notNullable();
        table.index(['touched_at']);
      });
      await db.schema.createTable('login_organisations', (table) => {
        table.string('id', 36).notNullable().primary();
        table.string('slug', 255);
        table.bigInteger('created_at').notNullable();
        table.index(['slug']);
        table.index(['created_at']);
      });
      await db.schema.createTable('one_time_tokens', (table) => {
        table.string('digest', 64).notNullable().primary();
        table.string('kind', 16).notNullable();
        table.string('organisation_id', 36).notNullable();
        table.string('user_id', 36);
        table.bigInteger('expires_at').notNullable();
        table.index(['user_id']);
        table.index(['expires_at']);
      });
      await db.schema.createTable('oidc_states', (table) => {
        table.string('digest', 64).notNullable().primary();
        table.string('organisation_id', 36).notNullable();
        table.string('browser', 64).notNullable();
        table.text('sealed').notNullable();
        table.bigInteger('expires_at').notNullable();
        table.index(['expires_at']);
      });
    },
  },
];
