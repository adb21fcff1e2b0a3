import type { ClickHouseClient } from '@clickhouse/client';
import type { FeedbackRow, LogEntry } from 'portcullis/sdk';
import { bodiesText } from '../bodies-text.ts';
import { logColumns } from '../columns.ts';
import type { BodyFormat } from '../engine.ts';
import { entriesOf, type PackedBatch } from '../packed-batch.ts';
import { metadataPairs, storedValues } from '../rows.ts';

/** Inserts a batch, the rows after their bodies; what came before a failure comes again, and stands there once. */
export async function writeBatch(
  client: ClickHouseClient,
  batch: PackedBatch,
  format: BodyFormat,
  version: number,
): Promise<void> {
  const entries = entriesOf(batch);
  const bodied = batch.blocks.flatMap((block) => block.bodied);
  if (format === 'row') await insert(client, 'log_bodies', entries.flatMap(bodyRow));
  await insert(
    client,
    'logs',
    entries.map((entry, index) => logRecord(entry, bodied[index] ? format : null)),
  );
  await insert(
    client,
    'feedback',
    batch.feedback.map((row) => feedbackRecord(row, version)),
  );
}

export async function insert(client: ClickHouseClient, table: string, values: readonly object[]): Promise<void> {
  if (values.length > 0) await client.insert({ table, values, format: 'JSONEachRow' });
}

function logRecord({ row }: LogEntry, format: BodyFormat | null): object {
  const values = storedValues(row);
  const record = Object.fromEntries(logColumns.map(({ column }, index) => [column, values[index]]));
  return {
    ...record,
    metadata: Object.fromEntries(metadataPairs(row)),
    body_format: format,
  };
}

function bodyRow({ row, bodies }: LogEntry): object[] {
  if (bodies === undefined) return [];
  const { organisationId, id, createdAt } = row;
  return [{ organisation_id: organisationId, id, created_at: Math.round(createdAt), bodies: bodiesText(bodies) }];
}

export function feedbackRecord(row: FeedbackRow, version: number): object {
  const { id, organisationId, workspaceId, traceId, createdAt, value, weight, metadata, givenBy } = row;
  return {
    id,
    organisation_id: organisationId,
    workspace_id: workspaceId,
    trace_id: traceId,
    created_at: Math.round(createdAt),
    value,
    weight,
    metadata: JSON.stringify(metadata),
    given_by: givenBy,
    version,
  };
}
