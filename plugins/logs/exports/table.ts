import { baseColumns, type JsonObject, type Migration, type StoredRecord } from 'portcullis/sdk';

export const table = 'log_exports';

export const statuses = ['draft', 'in_progress', 'success', 'failed', 'stopped'] as const;
export type ExportStatus = (typeof statuses)[number];

export interface ExportRecord extends StoredRecord {
  readonly status: ExportStatus;
  readonly workspace_id: string;
  readonly filters: JsonObject;
  readonly requested_data: readonly string[];
  readonly description: string | null;
  /** Keys whose requests alone it holds, those that whoever started it may see; null: all. Fixed when it is started. */
  readonly key_ids: readonly string[] | null;
  /** Epoch milliseconds; null: not started. */
  readonly started_at: number | null;
  /** Until then a process is at it. Epoch milliseconds. */
  readonly lease_until: number | null;
  /** Requests that have been written. */
  readonly total_records: number | null;
  /** Why it failed. */
  readonly failure: string | null;
}

export const migrations: readonly Migration[] = [
  {
    name: '001_log_exports',
    async up(db) {
      await db.schema.createTable(table, (columns) => {
        baseColumns(columns);
        columns.bigInteger('started_at');
        columns.bigInteger('lease_until');
        columns.integer('total_records');
        columns.string('failure', 255);
        columns.index(['organisation_id', 'workspace_id', 'created_at'], 'log_exports_workspace');
        columns.index(['status', 'lease_until'], 'log_exports_waiting');
      });
    },
  },
];
