import {
  type Access,
  GatewayError,
  isOrganisationAdmin,
  type Operation,
  type OrganisationRole,
  type StoredRecord,
  type WorkspaceRole,
  workspaceRoles,
} from 'portcullis/sdk';
import type { Place } from './place.ts';

/** The person who acts: of a session alone, for a key or a token is no person. */
export function personOf(access: Access): string | undefined {
  return access.sessionId === undefined ? undefined : access.userId;
}

/** The caller's role in the workspace; who runs the organisation is admin of each. */
export function roleOf(access: Access, workspaceId: string): WorkspaceRole | undefined {
  return isOrganisationAdmin(access.organisationRole) ? 'admin' : access.roleIn(workspaceId);
}

/**
 * Whose the new key is to be: the one named, else who asks.
 * @throws GatewayError `bad_request` for someone who is not of the workspace, `forbidden` for someone else's key by a
 * member, or of someone who ranks higher
 */
export async function ownerFor(operation: Operation, workspaceId: string, named: string | undefined): Promise<string> {
  const person = personOf(operation.access);
  const userId = named ?? person;
  if (userId === undefined)
    throw new GatewayError('bad_request', 'user_id is required: whose key it is to be.', { param: 'user_id' });
  const role = await roleThere(operation, workspaceId, userId);
  if (role === undefined) {
    throw new GatewayError('bad_request', 'user_id names nobody who is a member of this workspace.', {
      param: 'user_id',
    });
  }
  if (userId !== person) assertOutranks(operation.access, workspaceId, role);
  return userId;
}

/** @throws GatewayError `forbidden` unless the caller, being a person, may act for people of that role */
export function assertOutranks(access: Access, workspaceId: string, role: WorkspaceRole): void {
  const own = roleOf(access, workspaceId);
  // Service keys and tokens have no rank: what they may grant bounds them.
  if (own === undefined && personOf(access) === undefined) return;
  if (own !== undefined && own !== 'member' && workspaceRoles.indexOf(own) <= workspaceRoles.indexOf(role)) return;
  throw new GatewayError(
    'forbidden',
    own === 'member'
      ? 'Members make keys for themselves only.'
      : 'You may not act for someone whose role is above yours.',
    { param: 'user_id' },
  );
}

interface UserRecord extends StoredRecord {
  readonly email: string;
  readonly role: OrganisationRole;
}

/** The role of the person in the workspace; undefined: none, or gone. */
export async function roleThere(
  operation: Operation,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceRole | undefined> {
  const { organisationId } = operation.scope;
  const user = await operation.records<UserRecord>('users').find({ organisationId }, userId);
  if (user === undefined || user.status !== 'active') return undefined;
  if (isOrganisationAdmin(user.role)) return 'admin';
  const { records } = await operation
    .records('workspace_members')
    .list({ organisationId, workspaceId }, { where: { user_id: userId }, pageSize: 1 });
  return records[0]?.role as WorkspaceRole | undefined;
}

/** @throws GatewayError `bad_request` when the person has as many keys in the workspace as the settings allow */
export async function assertRoomFor(
  operation: Operation,
  { settings }: Place,
  workspaceId: string,
  userId: string,
): Promise<void> {
  const most = settings.userApiKeyCount;
  if (most < 0) return;
  const scope = { organisationId: operation.scope.organisationId, workspaceId };
  const had = await operation.records('api_keys').count(scope, { user_id: userId });
  if (had < most) return;
  throw new GatewayError('bad_request', `This user has ${had} keys here, and the settings allow ${most}.`, {
    param: 'user_id',
  });
}
