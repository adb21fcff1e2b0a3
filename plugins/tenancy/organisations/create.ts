import { GatewayError, type JsonObject, type Operation, type StoredRecord } from 'portcullis/sdk';

/** What a new organisation consists of. */
export interface Founded {
  readonly organisation: StoredRecord;
  readonly workspace: StoredRecord;
}

/** An organisation with its default workspace. */
export async function foundOrganisation(
  operation: Operation,
  id: string,
  given: { readonly name: string; readonly slug?: string },
): Promise<Founded> {
  const scope = { organisationId: id };
  const there = operation.at(scope);
  const workspaceId = operation.newId();
  const organisation = await there.records('organisations').create(scope, {
    id,
    ...given,
    default_workspace_id: workspaceId,
  });
  const workspace = await there.records('workspaces').create(scope, {
    id: workspaceId,
    name: 'Default workspace',
    is_default: 1,
    creation_source: 'system',
  });
  return { organisation, workspace };
}

/** Another organisation, which belongs to the person who makes it. */
export async function createOrganisation(operation: Operation, switchedOff: boolean): Promise<JsonObject> {
  if (switchedOff) throw new GatewayError('forbidden', 'The operator has switched the creation of organisations off.');
  const { access, body } = operation;
  if (access.organisationRole !== 'owner' || access.userId === undefined)
    throw new GatewayError('forbidden', 'Only the owner of an organisation may create another one.');
  const person = await operation.records('users').get({ organisationId: access.organisationId }, access.userId);
  const id = operation.newId();
  const { organisation, workspace } = await foundOrganisation(operation, id, {
    name: String(body.name).trim(),
    ...(typeof body.slug === 'string' ? { slug: body.slug } : {}),
  });
  const scope = { organisationId: id };
  const owner = await operation.at(scope).records('users').create(scope, {
    email: person.email,
    first_name: person.first_name,
    last_name: person.last_name,
    role: 'owner',
  });
  return {
    id,
    slug: organisation.slug,
    name: String(organisation.name),
    default_workspace: { id: workspace.id, slug: workspace.slug, name: String(workspace.name), object: 'workspace' },
    owner: { id: owner.id, email: String(owner.email), object: 'user' },
    created_at: operation.time(organisation.created_at),
    object: 'organisation',
  };
}
