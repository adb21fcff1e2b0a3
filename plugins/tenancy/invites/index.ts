import {
  type ControlHost,
  field,
  GatewayError,
  type JsonObject,
  nullable,
  type Operation,
  type Resource,
  type StoredRecord,
  schema,
  type Values,
  workspaceRoles,
} from 'portcullis/sdk';
import { closed, shape, userShape } from '../reply.ts';
import { acceptInvite } from './accept.ts';
import { createInvite, resendInvite } from './create.ts';
import { demandIssued, revokeToken } from './token.ts';

const statuses = ['pending', 'cancelled', 'accepted', 'expired'] as const;
const mostPending = 10_000;
const role = field.oneOf(['admin', 'member'] as const);
const workspaces = field.list(schema.Object({ id: field.id(), role: field.oneOf(workspaceRoles) }), { maxItems: 100 });
const keyDetails = field.object({ maxProperties: 20 });

/** Invitations: each has one link at a time, which works once and for 7 days. */
export function invites(host: ControlHost): Resource {
  return {
    name: 'invites',
    object: 'invite',
    title: 'Invites',
    path: '/users/invites',
    admin: true,
    owner: 'organisation',
    permission: 'organisation_users',
    operations: ['list', 'get'],
    columns: ['email', 'role', 'expires_at'],
    search: ['email'],
    fields: {
      email: field.email(),
      role,
      workspaces,
      workspace_api_key_details: keyDetails,
      expires_at: field.time(),
      accepted_at: nullable(field.time()),
      invited_by: nullable(field.id()),
    },
    paging: { page: 'currentPage', size: 'pageSize' },
    filters: { role, email: field.text(), status: field.oneOf(statuses) },
    hooks: {
      list: listConditions,
      show: (operation, invite) => ({ status: statusOf(operation, invite) }),
    },
    actions: [
      {
        method: 'post',
        path: '/users/invites',
        admin: true,
        needs: ['organisation_users.create', 'workspace_users.create'],
        in: 'either',
        summary: 'Invite someone',
        body: schema.Object({
          email: field.email(),
          role,
          workspaces: schema.Optional(workspaces),
          workspace_api_key_details: schema.Optional(nullable(keyDetails)),
        }),
        reply: closed({ object: schema.Literal('invite'), id: schema.String(), invite_link: schema.String() }),
        run: (operation) => createInvite(operation, host),
      },
      {
        method: 'post',
        path: '/users/invites/:id/resend',
        admin: true,
        of: 'invites',
        needs: ['organisation_users.update'],
        in: 'organisation',
        summary: 'Send an invitation again, with a new link and term',
        reply: closed({ inviteLink: schema.String(), invite_link: schema.String() }),
        run: (operation, invite) => resendInvite(operation, invite as StoredRecord, host),
      },
      {
        method: 'delete',
        path: '/users/invites/:id',
        admin: true,
        of: 'invites',
        needs: ['organisation_users.delete'],
        in: 'organisation',
        summary: 'Cancel an invitation',
        reply: shape.nothing(),
        run: (operation, invite) => cancelInvite(operation, invite as StoredRecord),
      },
      {
        method: 'post',
        path: '/invites/accept',
        needs: 'public',
        summary: 'Accept an invitation with the token of its link',
        body: schema.Object({
          token: field.text({ min: 20, max: 200 }),
          first_name: schema.Optional(field.text()),
          last_name: schema.Optional(field.text()),
          password: schema.Optional(field.text({ min: 1, max: 1024 })),
        }),
        reply: userShape,
        // Strangers may ask: the store is not held for tokens that nobody was given.
        transaction: false,
        audited: false,
        run: (asked) => {
          demandIssued(asked, String(asked.body.token));
          return host.transaction({ organisationId: '' }, (operation) => acceptInvite(operation, asked));
        },
      },
    ],
  };
}

/** What is pending by its record is expired by the clock. */
function statusOf({ now }: Operation, invite: StoredRecord): string {
  return invite.status === 'pending' && Number(invite.expires_at) <= now ? 'expired' : invite.status;
}

async function listConditions({ db, query, now, scope }: Operation): Promise<Values> {
  const email = query.email === undefined || query.email === '' ? {} : { email: query.email.toLowerCase() };
  const { status } = query;
  if (status !== 'pending' && status !== 'expired') return email;
  const rows = await db('invites')
    .where({ organisation_id: scope.organisationId, status: 'pending' })
    .andWhere('expires_at', status === 'pending' ? '>' : '<=', now)
    .orderBy('created_at', 'desc')
    .limit(mostPending)
    .select('id');
  return { ...email, status: 'pending', id: rows.map(({ id }) => String(id)) };
}

async function cancelInvite(operation: Operation, invite: StoredRecord): Promise<JsonObject> {
  if (invite.status !== 'pending')
    throw new GatewayError('conflict', `The invitation is ${invite.status}; only pending ones are cancelled.`);
  await revokeToken(operation, invite);
  await operation
    .records('invites')
    .update({ organisationId: invite.organisation_id }, invite.id, { status: 'cancelled' });
  return {};
}
