import {
  effectiveSettings,
  type JsonObject,
  type Operation,
  type OrganisationRole,
  type SecurityToggles,
  type StoredRecord,
  scopesOfMemberIn,
  type WorkspaceRole,
} from 'portcullis/sdk';
import type { MemberRow } from './read.ts';

/** The toggles that cut the rights of a workspace's members. */
export interface MemberSecurity {
  readonly organisation: SecurityToggles;
  readonly workspace: SecurityToggles;
}

export async function memberSecurity(operation: Operation, workspaceId: string): Promise<MemberSecurity> {
  const scope = { organisationId: operation.scope.organisationId };
  const organisation = await operation.records('organisations').get(scope, scope.organisationId);
  return securityOf(organisation, await operation.records('workspaces').get(scope, workspaceId));
}

export function securityOf(organisation: StoredRecord, workspace: StoredRecord): MemberSecurity {
  return {
    organisation: effectiveSettings(organisation).security,
    workspace: effectiveSettings(organisation, workspace).security,
  };
}

/** A membership on the wire, with what it lets its person do at this moment. */
export function showMember(operation: Operation, member: MemberRow, security: MemberSecurity): JsonObject {
  return {
    object: 'workspace-user',
    id: member.id,
    first_name: member.first_name,
    last_name: member.last_name,
    org_role: member.org_role,
    role: member.role,
    status: member.status,
    workspace_id: member.workspace_id,
    email: member.email,
    scopes: scopesOf(operation, member, security),
    settings: null,
    created_at: operation.time(member.created_at),
    last_updated_at: operation.time(member.last_updated_at),
  };
}

function scopesOf({ scope }: Operation, member: MemberRow, security: MemberSecurity): readonly string[] {
  const { id: userId, email, workspace_id: id } = member;
  const entry = {
    organisationId: scope.organisationId,
    userId,
    email,
    role: member.org_role as OrganisationRole,
    security: security.organisation,
    workspaces: [{ id, slug: id, role: member.role as WorkspaceRole, security: security.workspace }],
  };
  return [...scopesOfMemberIn(entry, id)].sort();
}
