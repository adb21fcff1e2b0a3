import { baseColumns, type Migration, type StoredRecord } from 'portcullis/sdk';

export interface LabelRecord extends StoredRecord {
  readonly name: string;
  readonly description?: string | null;
  readonly color_code?: string | null;
  readonly is_universal: boolean;
  /** Id of the workspace that it belongs to, '' for the organisation: null would be unique to no index. */
  readonly place: string;
}

/** Which version of a prompt a label points at. */
export interface LabelledRow {
  readonly label_id: string;
  readonly prompt_id: string;
  readonly organisation_id: string;
  readonly version_number: number;
  readonly assigned_at: number;
}

export const labelMigrations: readonly Migration[] = [
  {
    name: '001_labels',
    async up(db) {
      await db.schema.createTable('labels', (columns) => {
        baseColumns(columns);
        columns.string('name', 255).notNullable();
        columns.integer('is_universal').notNullable();
        columns.string('place', 36).notNullable();
        columns.unique(['organisation_id', 'name', 'place'], { indexName: 'labels_name' });
        columns.index(['organisation_id', 'place', 'created_at'], 'labels_place');
      });
      await db.schema.createTable('prompt_labels', (columns) => {
        columns.string('prompt_id', 36).notNullable();
        columns.string('label_id', 36).notNullable();
        columns.string('organisation_id', 36).notNullable();
        columns.integer('version_number').notNullable();
        columns.bigInteger('assigned_at').notNullable();
        columns.primary(['prompt_id', 'label_id']);
        columns.index(['label_id'], 'prompt_labels_label');
      });
    },
  },
];
