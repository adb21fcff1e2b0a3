import { baseColumns, type Migration, type StoredRecord } from 'portcullis/sdk';

export interface CollectionRecord extends StoredRecord {
  readonly slug: string;
  readonly name: string;
  readonly workspace_id: string;
  readonly parent_collection_id: string | null;
  /** 1 at the top. */
  readonly depth: number;
  /** The workspace whose default collection it is. */
  readonly default_of: string | null;
}

export const collectionMigrations: readonly Migration[] = [
  {
    name: '001_collections',
    async up(db) {
      await db.schema.createTable('collections', (columns) => {
        baseColumns(columns);
        columns.string('name', 255).notNullable();
        columns.string('parent_collection_id', 36);
        columns.integer('depth').notNullable();
        // Unique, so that a workspace that is first used by many at once gets one default collection.
        columns.string('default_of', 36);
        columns.unique(['organisation_id', 'slug'], { indexName: 'collections_slug' });
        columns.unique(['default_of'], { indexName: 'collections_default' });
        columns.index(['organisation_id', 'workspace_id', 'created_at'], 'collections_workspace');
        columns.index(['parent_collection_id'], 'collections_parent');
      });
    },
  },
];
