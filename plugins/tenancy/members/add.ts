import { type Access, GatewayError, type Operation, type WorkspaceRole, workspaceRoles } from 'portcullis/sdk';
import { refusal } from '../refusal.ts';

export interface NewMember {
  readonly id: string;
  readonly role: WorkspaceRole;
}

/**
 * Nobody gives, changes or takes a role above their own. Service keys have none: what they may do, their scopes say.
 * @throws GatewayError `forbidden`
 */
export function demandRank(access: Access, workspaceId: string, role: string): void {
  const own = access.roleIn(workspaceId);
  if (own === undefined || workspaceRoles.indexOf(own) <= workspaceRoles.indexOf(role as WorkspaceRole)) return;
  throw new GatewayError(
    'forbidden',
    `The role ${role} is above the caller's own in this workspace, which is ${own}.`,
    {
      param: 'role',
    },
  );
}

/** Makes people of the organisation members of one of its workspaces: all of them, or none. */
export async function addMembers(
  operation: Operation,
  workspaceId: string,
  members: readonly NewMember[],
): Promise<void> {
  const organisation = { organisationId: operation.scope.organisationId };
  const scope = { ...organisation, workspaceId };
  if (new Set(members.map(({ id }) => id)).size < members.length) throw refusal('users', 'names a person twice');
  for (const { id, role } of members) {
    demandRank(operation.access, workspaceId, role);
    const user = await operation.records('users').get(organisation, id);
    if (user.status !== 'active') throw refusal('users', `names someone who has left: "${id}"`);
    const { total } = await operation.records('workspace_members').list(scope, { where: { user_id: user.id } });
    if (total > 0) throw new GatewayError('conflict', `The user ${user.id} is a member already.`, { param: 'users' });
    await operation.records('workspace_members').create(scope, { user_id: user.id, role });
  }
}
