import type { OrganisationRole, WorkspaceRole } from '../contracts/access.ts';
import type { MemberEntry, SecurityToggles } from '../contracts/directory.ts';
import { scopesOfKeyType } from './scopes.ts';
import { removedFrom, type ToggleRole } from './toggles.ts';

const ofOrganisation = scopesOfKeyType('organisation-service');
const ofWorkspace = scopesOfKeyType('workspace-service');

const each = (families: readonly string[], actions: readonly string[]): readonly string[] =>
  families.flatMap((family) => actions.map((action) => `${family}.${action}`));

const admins: ReadonlySet<string> = new Set([...ofOrganisation].filter((scope) => !scope.startsWith('deployments.')));

/**
 * What a role may do in the organisation itself (control-plane.md §1.30, right column): admins all but deployments, which
 * are the owner's; members see the workspaces that are theirs.
 */
const organisation: Readonly<Record<OrganisationRole, ReadonlySet<string>>> = {
  owner: ofOrganisation,
  admin: admins,
  member: new Set(['workspaces.list', 'workspaces.read']),
};

const member: ReadonlySet<string> = new Set([
  ...each(['workspaces'], ['list', 'read']),
  // Their own alone: whose a key is, the keys' plugin checks.
  ...each(['workspace_user_api_keys'], ['create', 'read', 'update', 'delete', 'list', 'rotate']),
  ...each(['configs', 'guardrails', 'virtual_keys', 'providers'], ['list', 'read', 'create', 'update', 'delete']),
  ...each(['virtual_keys'], ['duplicate', 'copy']),
  ...each(['prompts'], ['list', 'read', 'create', 'update', 'delete', 'publish', 'render']),
  ...each(['mcp_servers', 'agent_servers', 'agent_server_skills'], ['list', 'read']),
  ...each(['logs'], ['list', 'view', 'write']),
  'analytics.view',
  'completions.write',
  'mcp.invoke',
  'agents.invoke',
  'guardrails.invoke',
]);

/** Before the toggles. Managers do all that admins do, as far as the toggles let them. */
const workspace: Readonly<Record<WorkspaceRole, ReadonlySet<string>>> = {
  admin: ofWorkspace,
  manager: ofWorkspace,
  member,
};

const toggled: Readonly<Record<WorkspaceRole, ToggleRole | undefined>> = {
  admin: undefined,
  manager: 'manager',
  member: 'member',
};

/** What the role may do in a workspace under the toggles in force there. */
export function scopesOfWorkspaceRole(role: WorkspaceRole, security: SecurityToggles): ReadonlySet<string> {
  const concerns = toggled[role];
  const scopes = workspace[role];
  return concerns === undefined ? scopes : without(scopes, removedFrom(concerns, security));
}

/** What the role may do in the organisation itself. */
export function scopesOfOrganisationRole(role: OrganisationRole, security: SecurityToggles): ReadonlySet<string> {
  const scopes = organisation[role];
  return role === 'member' ? scopes : without(scopes, removedFrom('organisation_admin', security));
}

export function isOrganisationAdmin(role: OrganisationRole | undefined): boolean {
  return role === 'owner' || role === 'admin';
}

/** The role in the workspace; owners and admins of the organisation are admins of each. Undefined: none. */
export function workspaceRoleOf(member: MemberEntry, workspaceId: string): WorkspaceRole | undefined {
  if (isOrganisationAdmin(member.role)) return 'admin';
  return member.workspaces.find(({ id }) => id === workspaceId)?.role;
}

/**
 * What a person may do in the workspace. Owners and admins act there with what they may in the organisation as well, and
 * what the organisation hides from them stays hidden when they make themselves members. Only its own toggles count for
 * them: they are the same in all workspaces, for what they may do goes into keys that act in all workspaces.
 */
export function scopesOfMemberIn(member: MemberEntry, workspaceId: string): ReadonlySet<string> {
  if (isOrganisationAdmin(member.role)) {
    const scopes = new Set([...organisation[member.role], ...workspace.admin]);
    return without(scopes, removedFrom('organisation_admin', member.security));
  }
  const place = member.workspaces.find(({ id }) => id === workspaceId);
  return place === undefined ? nothing : scopesOfWorkspaceRole(place.role, place.security);
}

export const nothing: ReadonlySet<string> = new Set();

function without(scopes: ReadonlySet<string>, removed: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...scopes].filter((scope) => !removed.has(scope)));
}
