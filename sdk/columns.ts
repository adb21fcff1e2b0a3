import type { Knex } from 'knex';

/** The columns that the table of every resource has; call it inside `createTable`, before the table's own columns. */
export function baseColumns(table: Knex.CreateTableBuilder): void {
  table.string('id', 36).notNullable().primary();
  table.string('organisation_id', 36).notNullable();
  table.string('workspace_id', 36);
  table.string('slug', 255);
  table.string('status', 32).notNullable();
  table.bigInteger('created_at').notNullable();
  table.bigInteger('last_updated_at').notNullable();
  table.string('created_by', 255);
  table.text('document', 'longtext').notNullable();
  table.text('sealed', 'longtext');
}
