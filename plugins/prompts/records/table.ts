import { baseColumns, type Knex, type Migration, type StoredRecord } from 'portcullis/sdk';

/** What has versions here; each is a resource and a table of its own. */
export type Kind = 'prompts' | 'prompt_partials';

/** A prompt or a partial: which of its versions serves is a number of its own row, so exactly one does. */
export interface VersionedRecord extends StoredRecord {
  readonly slug: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly collection_id: string;
  readonly published_version: number;
  readonly latest_version: number;
  readonly updated_by: string | null;
}

export interface PromptRecord extends VersionedRecord {
  /** Of the Published version. */
  readonly model: string | null;
  readonly forked_from_prompt_id: string | null;
  readonly forked_from_prompt_version_id: string | null;
}

export type PartialRecord = VersionedRecord;

/** A version as it is stored; none is changed or removed, so their numbers are consecutive from 1. */
export interface VersionRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly record_id: string;
  readonly number: number;
  readonly created_at: number;
  readonly created_by: string | null;
  readonly description: string | null;
  readonly string: string;
  /** What else it holds, as JSON. */
  readonly document: string;
}

export const versionTables = {
  prompts: 'prompt_versions',
  prompt_partials: 'prompt_partial_versions',
} as const satisfies Readonly<Record<Kind, string>>;

export const promptMigrations: readonly Migration[] = [
  {
    name: '001_prompts',
    async up(db) {
      for (const kind of ['prompts', 'prompt_partials'] as const) {
        await db.schema.createTable(kind, (columns) => {
          versionedColumns(columns);
          if (kind === 'prompts') {
            columns.string('model', 255);
            columns.string('forked_from_prompt_id', 36);
            columns.string('forked_from_prompt_version_id', 36);
          }
          columns.unique(['organisation_id', 'slug'], { indexName: `${kind}_slug` });
          columns.index(['organisation_id', 'workspace_id', 'created_at'], `${kind}_workspace`);
          columns.index(['collection_id'], `${kind}_collection`);
        });
        await db.schema.createTable(versionTables[kind], (columns) => {
          versionColumns(columns);
          columns.unique(['record_id', 'number'], { indexName: `${versionTables[kind]}_number` });
        });
      }
    },
  },
];

function versionedColumns(columns: Knex.CreateTableBuilder): void {
  baseColumns(columns);
  columns.string('name', 255).notNullable();
  columns.string('collection_id', 36).notNullable();
  columns.integer('published_version').notNullable();
  columns.integer('latest_version').notNullable();
  columns.string('updated_by', 255);
}

function versionColumns(columns: Knex.CreateTableBuilder): void {
  columns.string('id', 36).notNullable().primary();
  columns.string('organisation_id', 36).notNullable();
  columns.string('record_id', 36).notNullable();
  columns.integer('number').notNullable();
  columns.bigInteger('created_at').notNullable();
  columns.string('created_by', 255);
  columns.text('description');
  columns.text('string', 'longtext').notNullable();
  columns.text('document', 'longtext').notNullable();
}
