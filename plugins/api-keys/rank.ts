import { type Access, GatewayError, type WorkspaceRole } from 'portcullis/sdk';
import { roleOf } from './owner.ts';
import type { KeyRecord } from './record.ts';

/** What these allow goes as far as the rank of who uses them: all else is in the scopes alone. */
const ranked =
  /^(workspaces\.update|workspace_users\.(create|update|delete)|workspace_(user|service)_api_keys\.(create|update|rotate))$/;

/**
 * The rank that a service's key takes from its maker. A key has no role of its own, so without one a manager's key could
 * do to admins what the manager may not. Null: of an admin, or of the organisation; it is bound by its scopes alone.
 */
export function rankFrom(access: Access, workspaceId: string): WorkspaceRole | null {
  const role = roleOf(access, workspaceId);
  return role === undefined || role === 'admin' ? null : role;
}

/** The rank of a service's key after an edit of its scopes: who widens it lends it no more than the own rank. */
export function rankAfter(access: Access, key: KeyRecord, scopes: readonly string[]): WorkspaceRole | null {
  const widened = scopes.some((scope) => ranked.test(scope) && !key.scopes.includes(scope));
  const own = key.workspace_id === null || !widened ? null : rankFrom(access, key.workspace_id);
  return own ?? key.rank ?? null;
}

/** @throws GatewayError `forbidden` for a service's key that ranks above the caller, who is about to be shown its secret */
export function assertRanksWith(access: Access, key: KeyRecord): void {
  if (key.type !== 'workspace-service' || key.workspace_id === null || (key.rank ?? null) !== null) return;
  const own = rankFrom(access, key.workspace_id);
  if (own === null || !key.scopes.some((scope) => ranked.test(scope))) return;
  throw new GatewayError('forbidden', `An admin has made this key, which may do more than a ${own} with it.`);
}
