import type { Access } from 'portcullis/sdk';

/** Whoever holds a permission in the whole organisation holds it in each of its workspaces. */
export function holds(access: Access, permission: string, workspaceId: string): boolean {
  if (access.scopesIn(workspaceId).has(permission)) return true;
  return access.workspaceId === undefined && access.scopesIn(undefined).has(permission);
}
