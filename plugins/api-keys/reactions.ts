import {
  asObject,
  asObjects,
  asString,
  type ListOptions,
  type Operation,
  type Reaction,
  type Scope,
  type WorkspaceRole,
  workspaceRoles,
} from 'portcullis/sdk';
import { keyOnAcceptance, keyOnJoining } from './automatic.ts';
import { enforceRotation } from './enforcement.ts';
import { keepDefaultGuardrails } from './guardrails.ts';
import { forgetSecrets, type SecretMaker } from './secrets.ts';

/** What happens to keys when people and workspaces come and go. */
export function keyReactions(maker: SecretMaker): Readonly<Record<string, Reaction>> {
  return {
    // Whoever removes a key, its secrets go with it.
    'api_keys.removed': (operation, key) => forgetSecrets(operation, key.id),
    'guardrails.removing': keepDefaultGuardrails,
    'users.removed': (operation, user) =>
      revoke(operation, { organisationId: user.organisation_id }, { user_id: user.id }),
    'users.updated': async (operation, user) => {
      if (user.status !== 'archived') return;
      await revoke(operation, { organisationId: user.organisation_id }, { user_id: user.id });
    },
    'workspace_members.removed': async (operation, member) => {
      const userId = asString(member.user_id);
      if (userId === undefined || member.workspace_id === null) return;
      const scope = { organisationId: member.organisation_id, workspaceId: member.workspace_id };
      await revoke(operation, scope, { user_id: userId });
    },
    'workspace_members.created': async (operation, member) => {
      const userId = asString(member.user_id);
      const role = roleOf(member.role);
      if (userId === undefined || role === undefined || member.workspace_id === null) return;
      await keyOnJoining(operation, maker, { workspaceId: member.workspace_id, userId, role });
    },
    'invites.accepted': async (operation, _, detail) => {
      const promised = asObject(detail.workspace_api_key_details);
      const userId = asString(detail.user_id);
      if (promised === undefined || userId === undefined) return;
      for (const workspace of asObjects(detail.workspaces)) {
        const workspaceId = asString(workspace.id);
        const role = roleOf(workspace.role);
        if (workspaceId === undefined || role === undefined) continue;
        await keyOnAcceptance(operation, maker, { workspaceId, userId, role }, promised);
      }
    },
    'organisations.updated': (operation, organisation, { before }) =>
      enforceRotation(operation, { organisationId: organisation.id }, asObject(before), organisation),
    'workspaces.updated': (operation, workspace, { before }) =>
      enforceRotation(
        operation,
        { organisationId: workspace.organisation_id, workspaceId: workspace.id },
        asObject(before),
        workspace,
      ),
  };
}

function roleOf(value: unknown): WorkspaceRole | undefined {
  return workspaceRoles.find((role) => role === value);
}

async function revoke(operation: Operation, scope: Scope, where: NonNullable<ListOptions['where']>): Promise<void> {
  const keys = operation.records('api_keys');
  for (const { id } of (await keys.list(scope, { where })).records) await keys.remove(scope, id);
}
