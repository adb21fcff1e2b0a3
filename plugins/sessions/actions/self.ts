import {
  type Access,
  type Action,
  asObject,
  GatewayError,
  type JsonObject,
  type Operation,
  schema,
} from 'portcullis/sdk';

export const self: Action = {
  method: 'get',
  path: '/auth/self',
  summary: 'Who the caller is, and what it may do',
  needs: 'session',
  reply: schema.Object({
    object: schema.Literal('self'),
    user: schema.Object({}, { additionalProperties: true }),
    organisation: schema.Object({ id: schema.String(), name: schema.String(), slug: schema.String() }),
    org_role: schema.Unsafe<string | null>({ type: ['string', 'null'] }),
    workspaces: schema.Array(schema.Object({ id: schema.String(), slug: schema.String(), role: schema.String() })),
    scopes: schema.Array(schema.String()),
    settings: schema.Object({}, { additionalProperties: true }),
  }),
  run: async (operation) => {
    const { access } = operation;
    const scope = { organisationId: access.organisationId };
    const organisation = await operation.records('organisations').find(scope, access.organisationId);
    if (organisation === undefined) throw new GatewayError('unauthenticated', 'The organisation is gone.');
    return {
      object: 'self',
      user: await userOf(operation),
      organisation: { id: organisation.id, name: String(organisation.name), slug: organisation.slug },
      org_role: access.organisationRole ?? null,
      workspaces: await workspacesOf(operation),
      scopes: [...access.scopesIn(access.workspaceId)].sort(),
      settings: asObject(organisation.settings) ?? {},
    };
  },
};

async function userOf({ access, records }: Operation): Promise<JsonObject> {
  const { organisationId, userId } = access;
  const user = userId === undefined ? undefined : await records('users').find({ organisationId }, userId);
  // A token speaks for somebody who need not be a user here.
  if (user === undefined) return { id: userId ?? null, object: 'user' };
  const { id, email, first_name, last_name, role } = user;
  return {
    id,
    email: String(email),
    first_name: (first_name as string | null | undefined) ?? null,
    last_name: (last_name as string | null | undefined) ?? null,
    role: String(role),
    object: 'user',
  };
}

async function workspacesOf({ access, records }: Operation): Promise<readonly JsonObject[]> {
  const { records: workspaces } = await records('workspaces').list(
    { organisationId: access.organisationId },
    { where: { status: 'active' } },
  );
  return workspaces.flatMap(({ id, slug, name }) => {
    const role = roleIn(access, id);
    const scopes = [...access.scopesIn(id)].sort();
    return role === undefined ? [] : [{ id, slug, name: String(name), role, scopes }];
  });
}

/** A token is bound to one workspace without a person's role in it. */
function roleIn(access: Access, workspaceId: string): string | undefined {
  return access.roleIn(workspaceId) ?? (access.workspaceId === workspaceId ? 'member' : undefined);
}
