import { type Access, GatewayError, type KeyType, keyFamilies, keyTypes } from 'portcullis/sdk';
import { personOf, roleOf } from './owner.ts';
import type { KeyRecord } from './record.ts';

export type KeyAction = 'list' | 'read' | 'create' | 'update' | 'delete' | 'rotate';

/** Whether the caller may do this with keys of that type in that place. */
export function mayKeys(access: Access, action: KeyAction, type: KeyType, workspaceId: string | undefined): boolean {
  return access.scopesIn(workspaceId).has(`${keyFamilies[type]}.${action}`);
}

/** @throws GatewayError `forbidden` naming the permission */
export function demandKeys(access: Access, action: KeyAction, type: KeyType, workspaceId: string | undefined): void {
  if (mayKeys(access, action, type, workspaceId)) return;
  throw new GatewayError(
    'forbidden',
    `This needs the permission ${keyFamilies[type]}.${action}, which the caller does not have here.`,
  );
}

/** The types of keys that the caller may list in the place. */
export function listedTypes(access: Access, workspaceId: string | undefined): readonly KeyType[] {
  return keyTypes.filter((type) => mayKeys(access, 'list', type, workspaceId));
}

/** Whether the caller sees none but its own keys there: members of a workspace, who are neither managers nor admins. */
export function seesOwnOnly(access: Access, workspaceId: string | undefined): boolean {
  return workspaceId !== undefined && personOf(access) !== undefined && roleOf(access, workspaceId) === 'member';
}

/** Whether the caller may know of the key at all; what it may do with it, its permissions say. */
export function isVisible(access: Access, key: KeyRecord): boolean {
  // A key knows of itself.
  if (access.keyId === key.id) return true;
  const person = personOf(access);
  if (key.workspace_id === null || person === undefined) return true;
  const role = roleOf(access, key.workspace_id);
  return role === 'member' ? key.user_id === person : role !== undefined;
}
