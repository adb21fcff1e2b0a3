import { baseColumns, type JsonObject, type Migration, type StoredRecord } from 'portcullis/sdk';

export interface ConfigRecord extends StoredRecord {
  readonly name: string;
  readonly config: JsonObject;
  readonly is_default: 0 | 1;
  /** Id of the version that serves. */
  readonly version_id: string;
  readonly owner_id: string | null;
  readonly updated_by: string | null;
}

export const migrations: readonly Migration[] = [
  {
    name: '001_configs',
    async up(db) {
      await db.schema.createTable('configs', (columns) => {
        baseColumns(columns);
        columns.string('name', 255).notNullable();
        columns.integer('is_default').notNullable().defaultTo(0);
        columns.string('version_id', 36).notNullable();
        // The workspace whose default it is; unique, so that two at once cannot both become it.
        columns.string('default_of', 36);
        columns.unique(['organisation_id', 'slug'], { indexName: 'configs_slug' });
        columns.unique(['default_of'], { indexName: 'configs_default' });
        columns.index(['organisation_id', 'workspace_id', 'created_at'], 'configs_workspace');
      });
      await db.schema.createTable('config_versions', (columns) => {
        columns.string('id', 36).notNullable().primary();
        columns.string('organisation_id', 36).notNullable();
        columns.string('config_id', 36).notNullable();
        columns.integer('number').notNullable();
        columns.bigInteger('created_at').notNullable();
        columns.string('created_by', 255);
        columns.text('config', 'longtext').notNullable();
        columns.unique(['config_id', 'number'], { indexName: 'config_versions_number' });
      });
    },
  },
];
