import type { JsonObject, Operation } from 'portcullis/sdk';
import type { ExportRecord } from './table.ts';

export function shownExport({ time }: Pick<Operation, 'time'>, record: ExportRecord): JsonObject {
  return {
    id: record.id,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    filters: record.filters,
    requested_data: record.requested_data,
    status: record.status,
    description: record.description ?? null,
    created_at: time(record.created_at),
    last_updated_at: time(record.last_updated_at),
    created_by: record.created_by,
    total_records: record.total_records,
    failure: record.failure,
    object: 'export',
  };
}
