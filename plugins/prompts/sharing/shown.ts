import { field, type JsonObject, nullable, type Operation, schema } from 'portcullis/sdk';
import { isForAll, type Share } from './table.ts';

/** What every form of a prompt or partial tells of its sharing, for the documents. */
export const sharingShape = {
  access_level: field.oneOf(['workspace', 'organisation']),
  share_organisation_id: nullable(field.id()),
  shared_at: nullable(field.time()),
  shared_by_user_id: nullable(field.id()),
  shared_from_version_id: nullable(field.id()),
  allow_all_workspaces: field.flag(),
};

/** What is told beside that where the recipients are asked for. */
export const recipientsShape = { workspaces: schema.Array(field.id()) };

/** How far a prompt or partial reaches: no further than its workspace, or into others of the organisation. */
export function shownSharing({ time }: Pick<Operation, 'time'>, shares: readonly Share[]): JsonObject {
  const first = shares[0];
  return {
    access_level: first === undefined ? 'workspace' : 'organisation',
    share_organisation_id: first?.organisation_id ?? null,
    shared_at: time(first?.shared_at),
    shared_by_user_id: first?.shared_by ?? null,
    shared_from_version_id: first?.from_version_id ?? null,
    allow_all_workspaces: shares.some(isForAll) ? 1 : 0,
  };
}

/** Ids of the recipients that were named. A recipient is told of itself alone: who else has it is the owner's to know. */
export function shownRecipients(
  { scope }: Pick<Operation, 'scope'>,
  owner: string | null,
  shares: readonly Share[],
): { readonly workspaces: readonly string[] } {
  const { workspaceId } = scope;
  const isOwner = workspaceId === undefined || workspaceId === owner;
  const named = shares.filter((share) => !isForAll(share)).map(({ workspace_id }) => workspace_id);
  return { workspaces: named.filter((id) => isOwner || id === workspaceId) };
}
