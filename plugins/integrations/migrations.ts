import { baseColumns, type Migration } from 'portcullis/sdk';

export const migrations: readonly Migration[] = [
  {
    name: '001_integrations',
    up: async (db) => {
      await db.schema.createTable('integrations', (table) => {
        baseColumns(table);
        table.string('name', 255).notNullable();
        table.string('ai_provider_id', 255).notNullable();
        table.string('type', 16).notNullable();
        table.integer('global_access').notNullable();
        table.integer('hidden').notNullable();
        table.unique(['organisation_id', 'slug'], { indexName: 'integrations_slug' });
        table.index(['organisation_id', 'status', 'workspace_id'], 'integrations_listed');
      });
      await db.schema.createTable('integration_models', (table) => {
        baseColumns(table);
        table.string('integration_id', 36).notNullable();
        table.string('model', 255).notNullable();
        table.unique(['integration_id', 'model'], { indexName: 'integration_models_model' });
      });
      await db.schema.createTable('integration_workspaces', (table) => {
        baseColumns(table);
        table.string('integration_id', 36).notNullable();
        table.integer('enabled').notNullable();
        table.unique(['integration_id', 'workspace_id'], { indexName: 'integration_workspaces_grant' });
        table.index(['workspace_id'], 'integration_workspaces_workspace');
      });
      await db.schema.createTable('providers', (table) => {
        baseColumns(table);
        table.string('name', 255).notNullable();
        table.string('integration_id', 36).notNullable();
        table.unique(['workspace_id', 'slug'], { indexName: 'providers_slug' });
        table.index(['integration_id'], 'providers_integration');
      });
    },
  },
];
