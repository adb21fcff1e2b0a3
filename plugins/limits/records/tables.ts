import {
  baseColumns,
  type JsonObject,
  type Migration,
  type RateLimits,
  type StoredRecord,
  type UsageLimits,
} from 'portcullis/sdk';

/** What both kinds of policy have. */
export interface PolicyRecord extends StoredRecord {
  readonly name: string | null;
  readonly description: string | null;
  /** `{ key, value, excludes }`; all must fit. */
  readonly conditions: readonly JsonObject[];
  /** `{ key }` */
  readonly group_by: readonly JsonObject[];
}

export interface UsagePolicyRecord extends PolicyRecord {
  readonly type: UsageLimits['type'];
  /** US dollars, tokens or requests. */
  readonly credit_limit: number;
  readonly alert_threshold: number | null;
  readonly periodic_reset: UsageLimits['periodic_reset'];
  readonly periodic_reset_days: number | null;
  /** As people have set it: a midnight of UTC in epoch milliseconds. */
  readonly next_usage_reset_at: number | null;
  /** Where the cadence was changed: the start of the count that ran, and goes on. */
  readonly last_reset_at?: number | null;
}

export interface RatePolicyRecord extends PolicyRecord {
  readonly type: RateLimits['type'];
  readonly unit: RateLimits['unit'];
  readonly value: number;
}

/** What people have been told of a budget in one period. */
export interface AlertRow {
  readonly id: string;
  /** Of the count, the period and the kind: a mail is sent by whoever inserts it first. */
  readonly digest: string;
  readonly organisation_id: string;
  /** `key/<id>`: whose budget it is. */
  readonly subject: string;
  /** Of a policy's group; '' for all else. */
  readonly value_key: string;
  readonly period_start: number;
  readonly kind: 'threshold' | 'exhausted';
  readonly created_at: number;
}

export const migrations: readonly Migration[] = [
  {
    name: '001_limits',
    async up(db) {
      await db.schema.createTable('usage_limit_policies', (columns) => {
        baseColumns(columns);
        columns.string('name', 255);
        columns.string('type', 16).notNullable();
        columns.index(['organisation_id', 'workspace_id', 'created_at'], 'usage_limit_policies_place');
      });
      await db.schema.createTable('rate_limit_policies', (columns) => {
        baseColumns(columns);
        columns.string('name', 255);
        columns.string('type', 16).notNullable();
        columns.string('unit', 8).notNullable();
        columns.index(['organisation_id', 'workspace_id', 'created_at'], 'rate_limit_policies_place');
      });
      await db.schema.createTable('limit_alerts', (columns) => {
        columns.string('id', 36).notNullable().primary();
        columns.string('digest', 64).notNullable().unique();
        columns.string('organisation_id', 36).notNullable();
        columns.string('subject', 100).notNullable();
        columns.string('value_key', 400).notNullable();
        columns.bigInteger('period_start').notNullable();
        columns.string('kind', 16).notNullable();
        columns.bigInteger('created_at').notNullable();
        columns.index(['organisation_id', 'subject'], 'limit_alerts_subject');
      });
      // Up to which change of the counts people have been told.
      await db.schema.createTable('limit_alert_cursor', (columns) => {
        columns.string('name', 32).notNullable().primary();
        columns.bigInteger('changed_at').notNullable();
      });
    },
  },
  {
    name: '002_limit_mails',
    async up(db) {
      await db.schema.createTable('limit_mails', (columns) => {
        columns.string('id', 36).notNullable().primary();
        columns.text('recipients').notNullable();
        columns.text('subject').notNullable();
        columns.text('text').notNullable();
        columns.integer('tries').notNullable();
        columns.bigInteger('due_at').notNullable();
        columns.bigInteger('created_at').notNullable();
        columns.index(['due_at'], 'limit_mails_due');
      });
    },
  },
  {
    // Mails are kept in one place for all plugins, sealed; those that wait here are handed over by the job of alerts.
    name: '003_no_limit_mails',
    async up(db) {
      const waiting: unknown = await db('limit_mails').first('id');
      if (waiting === undefined) await db.schema.dropTable('limit_mails');
    },
  },
];
