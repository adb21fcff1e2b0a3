import { type Access, GatewayError, type Operation } from 'portcullis/sdk';
import type { IntegrationRecord } from './records.ts';

export type Verb = 'list' | 'read' | 'create' | 'update' | 'delete';

/** Integrations of the organisation and those of a workspace are two families of permissions. */
export const familyOf = (workspaceId: string | null | undefined) =>
  workspaceId == null ? 'organisation_integrations' : 'workspace_integrations';

/** Either family opens the route; which one the record needs is known when it is there. */
export const eitherFamily = (verb: Verb) => [`organisation_integrations.${verb}`, `workspace_integrations.${verb}`];

/** Whoever holds a permission in the whole organisation holds it in each of its workspaces. */
export function holds(access: Access, permission: string, workspaceId: string | undefined): boolean {
  const place = workspaceId ?? access.workspaceId;
  if (access.scopesIn(place).has(permission)) return true;
  return access.workspaceId === undefined && access.scopesIn(undefined).has(permission);
}

/** @throws GatewayError `forbidden` when the caller lacks the permission of this integration's own family */
export function demand(operation: Operation, integration: IntegrationRecord, verb: Verb): void {
  const permission = `${familyOf(integration.workspace_id)}.${verb}`;
  if (holds(operation.access, permission, integration.workspace_id ?? undefined)) return;
  throw new GatewayError('forbidden', `This needs the permission ${permission}, which the caller does not have here.`);
}
