import { baseColumns, type JsonObject, type Migration, type StoredRecord } from 'portcullis/sdk';

export interface AuthSettings {
  readonly gateway_base_url?: string | null;
  readonly mcp_gateway_base_url?: string | null;
  readonly is_dataservice_hosted?: boolean;
  readonly is_playground_proxy_allowed?: boolean;
  readonly allow_all_workspaces: boolean;
  /** Ids. */
  readonly workspaces_allowed: readonly string[];
  readonly jwt_subs_allowed: readonly string[];
  /** Subject of a token -> id of the workspace that it acts in. */
  readonly jwt_sub_workspace_mapping: Readonly<Record<string, string>>;
}

export interface DeploymentRecord extends StoredRecord {
  readonly name: string;
  readonly type: 'production' | 'non-production';
  readonly is_default: 0 | 1;
  readonly deployment_config?: JsonObject | null;
  readonly auth_settings: AuthSettings;
  readonly tags?: JsonObject | null;
  /** Peppered digest of the credential. */
  readonly stored_secret: string;
  /** The credential as people may recognise it. */
  readonly masked_client_auth: string;
}

export const migrations: readonly Migration[] = [
  {
    name: '001_deployments',
    async up(db) {
      await db.schema.createTable('deployments', (columns) => {
        baseColumns(columns);
        columns.string('name', 255).notNullable();
        columns.string('type', 32).notNullable();
        columns.integer('is_default').notNullable().defaultTo(0);
        columns.string('stored_secret', 64).notNullable();
        // The organisation whose default it is; unique, so that two at once cannot both become it.
        columns.string('default_of', 36);
        columns.unique(['organisation_id', 'slug'], { indexName: 'deployments_slug' });
        columns.unique(['stored_secret'], { indexName: 'deployments_secret' });
        columns.unique(['default_of'], { indexName: 'deployments_default' });
        columns.index(['organisation_id', 'created_at'], 'deployments_time');
      });
    },
  },
];
