import type { Migration } from 'portcullis/sdk';

export const table = 'audit_logs';

/** A row as it is stored. `entry` is the JSON of what nobody filters by. */
export interface AuditRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly workspace_id: string | null;
  readonly created_at: number;
  readonly method: string | null;
  readonly uri: string | null;
  readonly request_id: string | null;
  readonly user_id: string | null;
  readonly user_type: string;
  readonly actor_name: string | null;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly action: string;
  readonly client_ip: string | null;
  readonly response_status_code: number | null;
  readonly entry: string;
}

/** Longest text of a column; what is longer is cut, for a change must never fail because of what it is called. */
export const lengths = {
  method: 16,
  uri: 1024,
  request_id: 128,
  user_id: 255,
  actor_name: 255,
  resource_type: 64,
  resource_id: 255,
  action: 64,
  client_ip: 64,
} as const;

export const migrations: readonly Migration[] = [
  {
    name: '001_audit_logs',
    async up(db) {
      await db.schema.createTable(table, (columns) => {
        columns.string('id', 36).notNullable().primary();
        columns.string('organisation_id', 36).notNullable();
        columns.string('workspace_id', 36);
        columns.bigInteger('created_at').notNullable();
        columns.string('method', lengths.method);
        columns.string('uri', lengths.uri);
        columns.string('request_id', lengths.request_id);
        columns.string('user_id', lengths.user_id);
        columns.string('user_type', 16).notNullable();
        columns.string('actor_name', lengths.actor_name);
        columns.string('resource_type', lengths.resource_type).notNullable();
        columns.string('resource_id', lengths.resource_id);
        columns.string('action', lengths.action).notNullable();
        columns.string('client_ip', lengths.client_ip);
        columns.integer('response_status_code');
        columns.text('entry', 'longtext').notNullable();
        columns.index(['organisation_id', 'created_at'], 'audit_logs_time');
        columns.index(['organisation_id', 'user_id', 'created_at'], 'audit_logs_user');
        columns.index(['organisation_id', 'resource_type', 'created_at'], 'audit_logs_resource');
        columns.index(['organisation_id', 'request_id'], 'audit_logs_request');
        columns.index(['created_at'], 'audit_logs_age');
      });
    },
  },
];
