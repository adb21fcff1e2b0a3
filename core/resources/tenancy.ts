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
 * @throws GatewayError `not_found` for a workspace that is not the caller's, `bad_request` where none or two are named
 */
export async function workspaceNamed(
  operation: Operation,
  request: Request,
  owner: Resource['owner'],
  archived = false,
): Promise<string | undefined> {
  const { access, params } = request;
  const inPath = params.workspace;
  if (access.workspaceId !== undefined) {
    if (inPath !== undefined && !(await isBound(operation, access.workspaceId, inPath))) throw unknown(inPath);
    return owner === 'organisation' && inPath === undefined ? undefined : access.workspaceId;
  }
  const named = inPath === undefined ? (owner === 'organisation' ? [] : namesIn(request)) : [inPath];
  const found = new Set<string>();
  for (const name of named) {
    const workspace = await operation.records('workspaces').find({ organisationId: access.organisationId }, name);
    if (workspace === undefined || (workspace.status === 'archived' && !(archived && runsOrganisation(access))))
      throw unknown(name, name === request.query.workspace_slug ? 'workspace_slug' : 'workspace_id');
    found.add(workspace.id);
  }
  const [one, other] = found;
  if (other === undefined) return one;
  const text = `The call names two workspaces: ${named.map((name) => `"${name.slice(0, 100)}"`).join(' and ')}. Name one.`;
  throw new GatewayError('bad_request', text, { param: 'workspace_id' });
}

/** An empty text in a query is none: forms send their empty fields. In a body it would make something for everybody. */
function namesIn({ query, body }: Request): readonly string[] {
  const asked = [query.workspace_id, query.workspace_slug].filter((name) => name !== undefined && name !== '');
  if (asked.length > 0) return [...new Set(asked as readonly string[])];
  const given = body.workspace_id ?? undefined;
  if (given === undefined) return [];
  const named = asString(given) ?? '';
  if (named !== '') return [named];
  throw new GatewayError('bad_request', 'workspace_id must be the id or slug of a workspace; else leave it out.', {
    param: 'workspace_id',
  });
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

function unknown(named: string, param = 'workspace_id'): GatewayError {
  return new GatewayError('not_found', `There is no workspace with the id or slug "${named.slice(0, 100)}".`, {
    param,
  });
}
