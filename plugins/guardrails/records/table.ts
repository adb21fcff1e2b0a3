import { baseColumns, type JsonObject, type Migration, type StoredRecord } from 'portcullis/sdk';

export interface GuardrailRecord extends StoredRecord {
  readonly name: string;
  /** Credentials in them are masked: what they are is sealed. */
  readonly checks: readonly JsonObject[];
  readonly actions: JsonObject;
  /** Id of the version that serves. */
  readonly version_id: string;
  readonly owner_id: string | null;
  readonly updated_by: string | null;
}

export const migrations: readonly Migration[] = [
  {
    name: '001_guardrails',
    async up(db) {
      await db.schema.createTable('guardrails', (columns) => {
        baseColumns(columns);
        columns.string('name', 255).notNullable();
        columns.string('version_id', 36).notNullable();
        columns.string('owner_id', 255);
        columns.string('updated_by', 255);
        columns.unique(['organisation_id', 'slug'], { indexName: 'guardrails_slug' });
        columns.index(['organisation_id', 'workspace_id', 'created_at'], 'guardrails_workspace');
      });
      await db.schema.createTable('guardrail_versions', (columns) => {
        columns.string('id', 36).notNullable().primary();
        columns.string('organisation_id', 36).notNullable();
        columns.string('guardrail_id', 36).notNullable();
        columns.integer('number').notNullable();
        columns.bigInteger('created_at').notNullable();
        columns.string('created_by', 255);
        columns.string('name', 255).notNullable();
        columns.text('checks', 'longtext').notNullable();
        columns.text('actions', 'longtext').notNullable();
        columns.unique(['guardrail_id', 'number'], { indexName: 'guardrail_versions_number' });
      });
      // Which saved config names which guardrail, by whatever name it does.
      await db.schema.createTable('guardrail_uses', (columns) => {
        columns.string('config_id', 36).notNullable();
        columns.string('guardrail_id', 36).notNullable();
        columns.string('organisation_id', 36).notNullable();
        columns.primary(['config_id', 'guardrail_id']);
        columns.index(['guardrail_id'], 'guardrail_uses_guardrail');
      });
      await db.schema.createTable('check_credentials', (columns) => {
        baseColumns(columns);
        columns.string('unit', 64).notNullable();
        columns.unique(['organisation_id', 'unit'], { indexName: 'check_credentials_unit' });
      });
    },
  },
];
