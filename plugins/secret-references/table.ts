import { baseColumns, type JsonObject, type Migration, type StoredRecord } from 'portcullis/sdk';

export interface ReferenceRecord extends StoredRecord {
  readonly name: string;
  readonly description?: string | null;
  readonly manager_type: string;
  /** What may be shown of the way in. */
  readonly public_auth: JsonObject;
  readonly secret_path: string;
  readonly secret_key?: string | null;
  readonly allow_all_workspaces: boolean;
  /** Ids; empty where all workspaces are allowed. */
  readonly allowed_workspaces: readonly string[];
  readonly tags?: Readonly<Record<string, string>> | null;
}

export const migrations: readonly Migration[] = [
  {
    name: '001_secret_references',
    async up(db) {
      await db.schema.createTable('secret_references', (columns) => {
        baseColumns(columns);
        columns.string('name', 255).notNullable();
        columns.string('manager_type', 32).notNullable();
        columns.unique(['organisation_id', 'slug'], { indexName: 'secret_references_slug' });
        columns.index(['organisation_id', 'created_at'], 'secret_references_time');
      });
    },
  },
];
