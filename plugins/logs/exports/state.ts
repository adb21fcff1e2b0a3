import { GatewayError, type Operation, type StoredRecord } from 'portcullis/sdk';
import { type ExportRecord, type ExportStatus, table } from './table.ts';

/** @throws GatewayError `conflict` when it is in another state by now */
export async function move(
  operation: Operation,
  { id, status }: ExportRecord,
  from: readonly ExportStatus[],
  to: { readonly status: ExportStatus; readonly started_at?: number; readonly lease_until: number | null },
): Promise<void> {
  const moved = await operation
    .db(table)
    .where({ id, organisation_id: operation.scope.organisationId })
    .whereIn('status', [...from])
    .update({ ...to, last_updated_at: operation.now });
  if (moved === 0) throw wrongState(status, `Only what is ${from.join(' or ')} can be ${to.status}`);
}

export function wrongState(status: ExportStatus, rule: string): GatewayError {
  return new GatewayError('conflict', `${rule}; this export is ${status}.`, { param: 'status' });
}

export function inWorkspaceOf(operation: Operation, { organisation_id, workspace_id }: ExportRecord): Operation {
  return operation.at({ organisationId: organisation_id, workspaceId: workspace_id });
}

export function asExport(record: StoredRecord | undefined): ExportRecord {
  if (record === undefined) throw new TypeError('the route names an export');
  return record as ExportRecord;
}
