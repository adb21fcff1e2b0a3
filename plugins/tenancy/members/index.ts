import {
  type Action,
  field,
  type JsonObject,
  type Operation,
  pageFields,
  pageOf,
  type Resource,
  schema,
  workspaceRoles,
} from 'portcullis/sdk';
import { refusal } from '../refusal.ts';
import { memberShape, shape } from '../reply.ts';
import { addMembers, demandRank, type NewMember } from './add.ts';
import { countMembers, memberOf, membersOf } from './read.ts';
import { memberSecurity, showMember } from './show.ts';

const collection = '/workspaces/:workspace/users';
const item = `${collection}/:user`;
const role = field.oneOf(workspaceRoles);

const route = (verb: string, rest: Pick<Action, 'method' | 'path' | 'summary' | 'run'> & Partial<Action>): Action => ({
  needs: [`workspace_users.${verb}`],
  in: 'workspace',
  admin: true,
  reply: shape.nothing(),
  ...rest,
});

const workspaceOf = ({ scope }: Operation): string => scope.workspaceId ?? '';

/** Several people, or one: clients send either. */
function newMembers({ users, user_id, role: given }: JsonObject): readonly NewMember[] {
  if (Array.isArray(users)) return users as unknown as readonly NewMember[];
  if (typeof user_id !== 'string') throw refusal('users', 'is missing: a list of {id, role}, or user_id and role');
  if (given === undefined) throw refusal('role', `is missing; ${workspaceRoles.join(', ')} are accepted`);
  return [{ id: user_id, role: given as NewMember['role'] }];
}

/** People of the organisation in its workspaces. Paths name the person, not the membership. */
export const workspaceMembers: Resource = {
  name: 'workspace_members',
  object: 'workspace-user',
  title: 'Workspace members',
  path: '/workspace-members',
  owner: 'workspace',
  permission: 'workspace_users',
  operations: [],
  columns: ['user_id', 'role'],
  fields: { user_id: field.id(), role },
  onWorkspaceRemoval: 'follow',
  actions: [
    route('list', {
      method: 'get',
      path: collection,
      summary: 'List the members of a workspace',
      reply: shape.list(memberShape),
      query: schema.Object({ ...pageFields(), role: schema.Optional(role), email: schema.Optional(field.text()) }),
      run: async (operation) => {
        const { role: wanted = '', email = '' } = operation.query;
        const filter = {
          ...(wanted === '' ? {} : { role: wanted }),
          ...(email === '' ? {} : { email: email.toLowerCase() }),
        };
        const members = await membersOf(operation, workspaceOf(operation), { ...filter, ...pageOf(operation) });
        const total = await countMembers(operation, workspaceOf(operation), filter);
        const security = await memberSecurity(operation, workspaceOf(operation));
        return { object: 'list', total, data: members.map((member) => showMember(operation, member, security)) };
      },
    }),
    route('read', {
      method: 'get',
      path: item,
      summary: 'Get a member of a workspace',
      reply: memberShape,
      run: async (operation) => {
        const member = await memberOf(operation, workspaceOf(operation), operation.params.user ?? '');
        return showMember(operation, member, await memberSecurity(operation, member.workspace_id));
      },
    }),
    route('create', {
      method: 'post',
      path: collection,
      summary: 'Add people to a workspace',
      body: schema.Object({
        users: schema.Optional(field.list(schema.Object({ id: field.id(), role }), { minItems: 1, maxItems: 200 })),
        user_id: schema.Optional(field.id()),
        role: schema.Optional(role),
      }),
      run: async (operation) => {
        await addMembers(operation, workspaceOf(operation), newMembers(operation.body));
        return {};
      },
    }),
    route('update', {
      method: 'put',
      path: item,
      summary: 'Change the role of a member',
      body: schema.Object({ role }),
      run: async (operation) => {
        const workspaceId = workspaceOf(operation);
        const member = await memberOf(operation, workspaceId, operation.params.user ?? '');
        demandRank(operation.access, workspaceId, member.role);
        demandRank(operation.access, workspaceId, String(operation.body.role));
        await operation
          .records('workspace_members')
          .update(operation.scope, member.membership_id, { role: operation.body.role });
        return {};
      },
    }),
    route('delete', {
      method: 'delete',
      path: item,
      summary: 'Remove a member from a workspace',
      run: async (operation) => {
        const workspaceId = workspaceOf(operation);
        const member = await memberOf(operation, workspaceId, operation.params.user ?? '');
        demandRank(operation.access, workspaceId, member.role);
        await operation.records('workspace_members').remove(operation.scope, member.membership_id);
        return {};
      },
    }),
  ],
};
