import type { Db, Records, Scope, StoredRecord } from 'portcullis/sdk';
import type { Kind } from '../records/table.ts';
import { everyWorkspace, type Share } from './table.ts';

/** What finds records: an operation, or what loaders of the directory read with. */
export interface ReachSource {
  readonly db: Db;
  records<R extends StoredRecord = StoredRecord>(resource: string): Pick<Records<R>, 'find'>;
}

/** Whom a prompt or partial is shared with, the first share first; empty: nobody. */
export async function sharesOf(db: Db, organisationId: string, kind: Kind, id: string): Promise<readonly Share[]> {
  return sharesIn(db, organisationId, kind, [id]);
}

/** The same for a page of them, by their ids; those that are shared with nobody are left out. */
export async function sharesOfEach(
  db: Db,
  organisationId: string,
  kind: Kind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Share[]>> {
  const found = ids.length === 0 ? [] : await sharesIn(db, organisationId, kind, ids);
  return Map.groupBy(found, ({ record_id }) => record_id);
}

/** Whether the workspace may use what another one owns. */
export async function isSharedWith(
  db: Db,
  share: {
    readonly organisationId: string;
    readonly kind: Kind;
    readonly id: string;
    readonly workspaceId: string;
  },
): Promise<boolean> {
  const row = await receivedBy(db, share.organisationId, share.kind, share.workspaceId)
    .andWhere('record_id', share.id)
    .first('record_id');
  return row !== undefined;
}

/** Ids of what is shared with the workspace; without one, of all that the organisation's workspaces share. */
export async function sharedIds(
  db: Db,
  organisationId: string,
  kind: Kind,
  workspaceId: string | undefined,
): Promise<readonly string[]> {
  const rows =
    workspaceId === undefined
      ? db<Share>('prompt_shares').where({ organisation_id: organisationId, kind })
      : receivedBy(db, organisationId, kind, workspaceId);
  const found = (await rows.distinct('record_id')) as readonly Pick<Share, 'record_id'>[];
  return found.map(({ record_id }) => record_id);
}

/**
 * The record as a workspace reaches it: its own, else one that is shared with it; without a workspace any of the
 * organisation. Archived ones are found too: what that means is for the caller to say.
 */
export async function findInReach<R extends StoredRecord = StoredRecord>(
  source: ReachSource,
  kind: Kind,
  scope: Scope,
  idOrSlug: string,
): Promise<R | undefined> {
  const records = source.records<R>(kind);
  const own = await records.find(scope, idOrSlug);
  const { organisationId, workspaceId } = scope;
  if (own !== undefined || workspaceId === undefined) return own;
  const found = await records.find({ organisationId }, idOrSlug);
  if (found === undefined) return undefined;
  const shared = await isSharedWith(source.db, { organisationId, kind, id: found.id, workspaceId });
  return shared ? found : undefined;
}

async function sharesIn(db: Db, organisationId: string, kind: Kind, ids: readonly string[]) {
  const rows = await db<Share>('prompt_shares')
    .where({ organisation_id: organisationId, kind })
    .whereIn('record_id', ids)
    .orderBy(['shared_at', 'workspace_id']);
  return rows.map((row) => ({ ...row, shared_at: Number(row.shared_at) }) as Share);
}

function receivedBy(db: Db, organisationId: string, kind: Kind, workspaceId: string) {
  return db<Share>('prompt_shares')
    .where({ organisation_id: organisationId, kind })
    .whereIn('workspace_id', [workspaceId, everyWorkspace])
    .whereNot('owner_workspace_id', workspaceId);
}
