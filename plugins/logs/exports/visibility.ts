import { type Operation, ownKeys, type StoredRecord } from 'portcullis/sdk';

/** A key of a user sees the exports of its user alone, and so does whoever sees only the requests of its own keys. */
export async function mayBeSeen(operation: Operation): Promise<'all' | 'own'> {
  if (operation.access.keyType === 'workspace-user') return 'own';
  return (await ownKeys(operation)) === undefined ? 'all' : 'own';
}

export async function isVisible(operation: Operation, record: StoredRecord): Promise<boolean> {
  if (record.created_by === operation.actorId) return true;
  const { organisation_id: organisationId, workspace_id: workspaceId } = record;
  return (await mayBeSeen(operation.at({ organisationId, workspaceId: workspaceId ?? '' }))) === 'all';
}
