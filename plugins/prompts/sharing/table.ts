import type { Migration } from 'portcullis/sdk';
import type { Kind } from '../records/table.ts';

/** Stands for every workspace of the organisation, those to come included. */
export const everyWorkspace = '*';

/** One recipient of one prompt or partial. */
export interface Share {
  readonly organisation_id: string;
  readonly kind: Kind;
  readonly record_id: string;
  /** Of the recipient, or `everyWorkspace`. */
  readonly workspace_id: string;
  readonly owner_workspace_id: string;
  /** The version that was Published when it was shared. */
  readonly from_version_id: string;
  /** Epoch milliseconds. */
  readonly shared_at: number;
  readonly shared_by: string | null;
}

export const isForAll = ({ workspace_id }: Share): boolean => workspace_id === everyWorkspace;

export const sharingMigrations: readonly Migration[] = [
  {
    name: '004_prompt_shares',
    async up(db) {
      await db.schema.createTable('prompt_shares', (columns) => {
        columns.string('organisation_id', 36).notNullable();
        columns.string('kind', 16).notNullable();
        columns.string('record_id', 36).notNullable();
        columns.string('workspace_id', 36).notNullable();
        columns.string('owner_workspace_id', 36).notNullable();
        columns.string('from_version_id', 36).notNullable();
        columns.bigInteger('shared_at').notNullable();
        columns.string('shared_by', 255);
        columns.primary(['kind', 'record_id', 'workspace_id']);
        columns.index(['organisation_id', 'kind', 'workspace_id'], 'prompt_shares_recipient');
        columns.index(['organisation_id', 'owner_workspace_id'], 'prompt_shares_owner');
      });
    },
  },
];
