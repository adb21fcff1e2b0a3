import type { JsonObject } from 'portcullis/sdk';
import {
  type Access,
  GatewayError,
  type Needs,
  type Permission,
  type Standard,
  type StoredRecord,
} from 'portcullis/sdk';

/** The last word of the permission for a standard operation. */
const verbs: Readonly<Record<Standard, string>> = {
  list: 'list',
  get: 'read',
  create: 'create',
  update: 'update',
  remove: 'delete',
};

export interface Where {
  readonly workspaceId: string | undefined;
  readonly record?: StoredRecord;
  readonly body?: JsonObject;
}

/** Every permission that may be asked for by the operation, whatever it acts on. */
export function possibleNeeds(permission: Permission, standard: Standard): Needs {
  const families = typeof permission === 'string' ? [permission] : permission.families;
  return families.map((family) => `${family}.${verbs[standard]}`);
}

/** The permission that this call needs. */
export function neededFor(permission: Permission, standard: Standard, where: Where): string {
  return `${typeof permission === 'string' ? permission : permission.of(where)}.${verbs[standard]}`;
}

/** Where a permission must hold for a record: its workspace, or the organisation. */
export function placeOf(permission: Permission, record: StoredRecord): string | undefined {
  const own = typeof permission === 'string' ? undefined : permission.place?.(record);
  return own ?? record.workspace_id ?? undefined;
}

/** Whether any of the permissions is held in the place. Who holds one in the organisation holds it in each workspace. */
export function holds(access: Access, needs: Needs, workspaceId: string | undefined): boolean {
  const place = workspaceId ?? access.workspaceId;
  const here = access.scopesIn(place);
  if (needs.some((need) => here.has(need))) return true;
  if (access.workspaceId !== undefined || place === undefined) return false;
  const everywhere = access.scopesIn(undefined);
  return needs.some((need) => everywhere.has(need));
}

/** @throws GatewayError `forbidden` naming the permission */
export function demand(access: Access, needs: Needs, workspaceId: string | undefined): void {
  if (holds(access, needs, workspaceId)) return;
  const one = needs.length === 1 ? needs[0] : `one of ${needs.join(', ')}`;
  const hint =
    workspaceId === undefined && access.workspaceId === undefined && access.userId !== undefined
      ? ' Name the workspace in workspace_id if it is held there.'
      : '';
  throw new GatewayError('forbidden', `This needs the permission ${one}, which the caller does not have here.${hint}`);
}
