import { type Access, GatewayError, guardrailInReach, type Operation, type Permission } from 'portcullis/sdk';
import type { GuardrailRecord } from './table.ts';

/** The guardrails of a workspace, and those of the organisation itself, which its workspaces see and use. */
const families = { workspace: 'guardrails', organisation: 'organisation_guardrails' } as const;

export const permission: Permission = {
  families: [families.workspace, families.organisation],
  of: ({ workspaceId, record }) => familyOf(record === undefined ? workspaceId : record.workspace_id),
};

export function familyOf(workspaceId: string | null | undefined): string {
  return workspaceId == null ? families.organisation : families.workspace;
}

/** Either family opens the route; which one the guardrail needs is known when it is there. */
export function eitherFamily(verb: 'list' | 'read'): readonly string[] {
  return [`${families.workspace}.${verb}`, `${families.organisation}.${verb}`];
}

/** Whoever holds a permission in the whole organisation holds it in each of its workspaces. */
export function holds(access: Access, permission: string, workspaceId: string | undefined): boolean {
  const place = workspaceId ?? access.workspaceId;
  if (access.scopesIn(place).has(permission)) return true;
  return access.workspaceId === undefined && access.scopesIn(undefined).has(permission);
}

/** @throws GatewayError `forbidden` unless one of the permissions is held in the place */
export function demandAny(access: Access, permissions: readonly string[], workspaceId: string | undefined): void {
  if (permissions.some((permission) => holds(access, permission, workspaceId))) return;
  const one = permissions.length === 1 ? permissions[0] : `one of ${permissions.join(', ')}`;
  throw new GatewayError('forbidden', `This needs the permission ${one}, which the caller does not have here.`);
}

/**
 * The live guardrail that the path names: from a workspace its own and the organisation's, from the organisation all.
 * @throws GatewayError `not_found`
 */
export async function guardrailOfPath(operation: Operation): Promise<GuardrailRecord> {
  const { organisationId, workspaceId } = operation.scope;
  const { id = '' } = operation.params;
  const guardrails = operation.records<GuardrailRecord>('guardrails');
  const found =
    workspaceId === undefined
      ? await guardrails.find({ organisationId }, id)
      : await guardrailInReach(guardrails, operation.scope, id);
  if (found !== undefined && found.status === 'active') return found;
  throw new GatewayError('not_found', `There is no guardrail with the id or slug "${id.slice(0, 100)}".`, {
    param: 'id',
  });
}

/** As `guardrailOfPath`, for a caller who may read it. @throws GatewayError `forbidden` as well */
export async function readableGuardrail(operation: Operation): Promise<GuardrailRecord> {
  const found = await guardrailOfPath(operation);
  // Whoever may read any guardrail here may read the organisation's: the route has asked for that.
  if (found.workspace_id !== null) demandAny(operation.access, [`${families.workspace}.read`], found.workspace_id);
  return found;
}
