import {
  type Access,
  asString,
  GatewayError,
  isOrganisationAdmin,
  type Operation,
  type Resource,
} from 'portcullis/sdk';
import type { Endpoint } from './endpoints.ts';
import type { Request } from './operation.ts';

/** Whose the records of a route are. */
export function ownerOf({ model, action }: Endpoint): Resource['owner'] {
  return model?.resource.owner ?? action?.in ?? 'either';
}

/**
 * The workspace that a call is about: the one that its caller is bound to, the one in the path, or the one named as
 * `workspace_id`, or in a query as `workspace_slug`. Undefined: the organisation.
 * @param archived whether those who run the organisation may name an archived one
 * @throws GatewayError `not_found` for a workspace that is not the caller's
 */
export async function workspaceNamed(
  operation: Operation,
  { access, params, query, body }: Request,
  owner: Resource['owner'],
  archived = false,
): Promise<string | undefined> {
  const inPath = params.workspace;
  const named =
    inPath ??
    (owner === 'organisation'
      ? undefined
      : (asString(query.workspace_id) ?? asString(query.workspace_slug) ?? asString(body.workspace_id)));
  if (access.workspaceId !== undefined) {
    if (inPath !== undefined && !(await isBound(operation, access.workspaceId, inPath))) throw unknown(inPath);
    return owner === 'organisation' && inPath === undefined ? undefined : access.workspaceId;
  }
  if (named === undefined || named === '') return undefined;
  const scope = { organisationId: access.organisationId };
  const workspace = await operation.records('workspaces').find(scope, named);
  if (workspace === undefined || (workspace.status === 'archived' && !(archived && runsOrganisation(access))))
    throw unknown(named);
  return workspace.id;
}

/** Owners, admins, and keys of the organisation itself. */
function runsOrganisation({ userId, organisationRole }: Access): boolean {
  return userId === undefined || isOrganisationAdmin(organisationRole);
}

/** The path may name the caller's own workspace by its slug. */
async function isBound(operation: Operation, bound: string, named: string): Promise<boolean> {
  if (named === bound) return true;
  const workspace = await operation
    .records('workspaces')
    .find({ organisationId: operation.access.organisationId }, named);
  return workspace?.id === bound;
}

function unknown(named: string): GatewayError {
  return new GatewayError('not_found', `There is no workspace with the id or slug "${named.slice(0, 100)}".`, {
    param: 'workspace_id',
  });
}
