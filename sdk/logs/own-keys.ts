import { effectiveSettings } from '../access/settings.ts';
import { toggleOn } from '../access/toggles.ts';
import type { Operation } from '../contracts/control.ts';
import type { SecurityToggles } from '../contracts/directory.ts';
import { orNone } from './filter.ts';

/**
 * Ids of the keys whose requests alone the caller may see, by `membersViewAllData` and `managersViewAllData`: those of
 * its own. Undefined: it may see the requests of all.
 */
export async function ownKeys(operation: Operation): Promise<readonly string[] | undefined> {
  const { access, scope } = operation;
  const { userId } = access;
  if (userId === undefined || scope.workspaceId === undefined) return undefined;
  const role = access.roleIn(scope.workspaceId);
  if (role === undefined || role === 'admin') return undefined;
  if (toggleOn(await securityIn(operation), `${role}sViewAllData`)) return undefined;
  const { records } = await operation.records('api_keys').list(scope, { where: { user_id: userId } });
  const ids = records.map(({ id }) => id);
  return orNone(access.keyId === undefined || ids.includes(access.keyId) ? ids : [...ids, access.keyId]);
}

/** The toggles in force where an operation acts. Read in its own transaction, which another reader would wait for. */
export async function securityIn({ records, scope }: Operation): Promise<SecurityToggles> {
  const { organisationId, workspaceId } = scope;
  const organisation = await records('organisations').get({ organisationId }, organisationId);
  const workspace =
    workspaceId === undefined ? undefined : await records('workspaces').get({ organisationId }, workspaceId);
  return effectiveSettings(organisation, workspace).security;
}
