import type { Operation, StoredRecord } from 'portcullis/sdk';
import type { Kind, VersionedRecord } from '../records/table.ts';
import { knownVersion, lockedRecord } from '../records/versions.ts';
import type { Share } from './table.ts';

/** A prompt or partial with its shares, which nobody else changes while the operation runs. */
export interface HeldShares {
  readonly kind: Kind;
  readonly record: VersionedRecord;
  readonly shares: readonly Share[];
}

/**
 * Holds the record, so that two changes of its shares follow each other, and none goes to one that is being archived.
 * @throws GatewayError `not_found` when it is archived by now
 */
export async function holdShares(operation: Operation, kind: Kind, found: StoredRecord): Promise<HeldShares> {
  const record = await lockedRecord(operation, kind, found);
  const shares = await rowsOf(operation.db, kind, record).orderBy(['shared_at', 'workspace_id']).forUpdate();
  return { kind, record, shares: shares.map((share) => ({ ...share, shared_at: Number(share.shared_at) })) };
}

/** Shares with those who do not have it yet. @param workspaceIds of recipients, or `everyWorkspace` */
export async function addShares(
  operation: Operation,
  held: HeldShares,
  workspaceIds: Iterable<string>,
): Promise<HeldShares> {
  const { kind, record, shares } = held;
  const known = new Set(shares.map(({ workspace_id }) => workspace_id));
  const added = [...new Set(workspaceIds)].filter((id) => !known.has(id));
  if (added.length === 0) return held;
  const published = await knownVersion(operation.db, kind, record, record.published_version);
  const share = {
    organisation_id: record.organisation_id,
    kind,
    record_id: record.id,
    owner_workspace_id: record.workspace_id,
    from_version_id: published.id,
    shared_at: operation.now,
    shared_by: operation.actorId,
  };
  const rows = added.map((workspace_id): Share => ({ ...share, workspace_id }));
  await operation.db<Share>('prompt_shares').insert(rows);
  await operation.changed(record.organisation_id);
  return { ...held, shares: [...shares, ...rows] };
}

/** Takes it from some of those who have it. */
export async function dropShares(
  operation: Operation,
  held: HeldShares,
  workspaceIds: readonly string[],
): Promise<HeldShares> {
  if (workspaceIds.length === 0) return held;
  const { kind, record, shares } = held;
  await rowsOf(operation.db, kind, record).whereIn('workspace_id', workspaceIds).delete();
  await operation.changed(record.organisation_id);
  return { ...held, shares: shares.filter(({ workspace_id }) => !workspaceIds.includes(workspace_id)) };
}

/** Takes it from everyone. */
export async function dropAllShares(operation: Operation, kind: Kind, record: StoredRecord): Promise<void> {
  await rowsOf(operation.db, kind, record).delete();
  await operation.changed(record.organisation_id);
}

function rowsOf(
  db: Operation['db'],
  kind: Kind,
  { id, organisation_id }: Pick<StoredRecord, 'id' | 'organisation_id'>,
) {
  return db<Share>('prompt_shares').where({ organisation_id, kind, record_id: id });
}
