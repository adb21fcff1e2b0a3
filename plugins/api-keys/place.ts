import {
  type EffectiveSettings,
  effectiveSettings,
  GatewayError,
  type KeyType,
  type Operation,
  type StoredRecord,
} from 'portcullis/sdk';

/** Where a key stands: what the place says about keys decides with what the body says. */
export interface Place {
  readonly type: KeyType;
  readonly organisation: StoredRecord;
  readonly workspace: StoredRecord | undefined;
  readonly settings: EffectiveSettings;
}

/** @throws GatewayError `not_found` for a workspace that is not there, or archived */
export async function placeOf(operation: Operation, type: KeyType, workspaceId: string | undefined): Promise<Place> {
  const { organisationId } = operation.scope;
  const organisation = await operation.records('organisations').get({ organisationId }, organisationId);
  if (workspaceId === undefined) {
    return { type, organisation, workspace: undefined, settings: effectiveSettings(organisation) };
  }
  const workspace = await operation.records('workspaces').get({ organisationId }, workspaceId);
  if (workspace.status !== 'archived') {
    return { type, organisation, workspace, settings: effectiveSettings(organisation, workspace) };
  }
  throw new GatewayError('not_found', 'The workspace is archived.', { param: 'workspace_id' });
}

/** Whether the rules for the keys of people hold: caps, ends of life, enforced rotation. */
export function isPersonal(type: KeyType): boolean {
  return type === 'workspace-user';
}
