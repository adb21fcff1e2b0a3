import {
  asObject,
  field,
  fixed,
  GatewayError,
  type JsonObject,
  nullable,
  type Operation,
  organisationRoles,
  type Reaction,
  type Resource,
  readOnly,
  type StoredRecord,
  type Values,
} from 'portcullis/sdk';
import { workspacesOfUsers } from '../members/read.ts';
import { demandReachOfAdmins } from '../reach.ts';
import { refusal } from '../refusal.ts';
import { shape, userShape } from '../reply.ts';

/** The people of an organisation. They come by invitation, or through whoever signs them in. */
export const users: Resource = {
  name: 'users',
  object: 'user',
  title: 'Users',
  path: '/users',
  admin: true,
  owner: 'organisation',
  permission: 'organisation_users',
  operations: ['list', 'get', 'update', 'remove'],
  removal: 'archive',
  columns: ['email', 'role', 'first_name', 'last_name'],
  search: ['email'],
  fields: {
    email: readOnly(fixed(field.email())),
    role: field.oneOf(organisationRoles),
    first_name: nullable(field.text()),
    last_name: nullable(field.text()),
  },
  paging: { page: 'currentPage', size: 'pageSize' },
  filters: {
    role: field.oneOf(organisationRoles),
    email: field.text(),
    status: field.oneOf(['active', 'archived']),
  },
  hooks: {
    list: ({ query }) => (query.email === undefined || query.email === '' ? {} : { email: query.email.toLowerCase() }),
    update: ({ access }, user, body) => {
      if (body.role === 'admin') demandReachOfAdmins(access, 'role');
      return changesOf(user, body);
    },
    remove: (_, user) => {
      if (user.role === 'owner') throw ownerStays();
    },
  },
  replies: {
    list: {
      schema: shape.list(userShape),
      of: async ({ total, items }, operation) => ({
        object: 'list',
        total,
        data: await withWorkspaces(operation, items),
      }),
    },
    get: {
      schema: userShape,
      of: async ({ shown: user }, operation) => asObject((await withWorkspaces(operation, [user]))[0]) ?? user,
    },
  },
};

async function withWorkspaces(operation: Operation, items: readonly JsonObject[]): Promise<JsonObject[]> {
  const found = await workspacesOfUsers(
    operation,
    items.map(({ id }) => String(id)),
  );
  return items.map((user) => ({ ...user, workspace_ids: found.get(String(user.id)) ?? [] }));
}

function changesOf(user: StoredRecord, { role }: JsonObject): Values {
  if (role === undefined) return {};
  if (role === user.role) throw refusal('role', `is ${role} already`);
  if (user.role === 'owner') throw ownerStays();
  if (role === 'owner') throw refusal('role', 'must be admin or member: ownership is not given away here');
  return {};
}

function ownerStays(): GatewayError {
  return new GatewayError('forbidden', 'The owner of the organisation can be neither demoted nor removed.', {
    param: 'role',
  });
}

/** Who leaves the organisation leaves its workspaces: what hangs on each membership goes with it. */
export const leaveWorkspaces: Reaction = async (operation, user) => {
  const scope = { organisationId: user.organisation_id };
  const memberships = operation.at(scope).records('workspace_members');
  const { records } = await memberships.list(scope, { where: { user_id: user.id } });
  for (const { id } of records) await memberships.remove(scope, id);
};
