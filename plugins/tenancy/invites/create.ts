import {
  asObject,
  asObjects,
  type ControlHost,
  GatewayError,
  type JsonObject,
  type Operation,
  type StoredRecord,
} from 'portcullis/sdk';
import { demandRank } from '../members/add.ts';
import { demandReachOfAdmins } from '../reach.ts';
import { refusal } from '../refusal.ts';
import { mailLink } from './mail.ts';
import { issueLink, lifetimeMs, revokeToken } from './token.ts';

export async function createInvite(operation: Operation, host: ControlHost): Promise<JsonObject> {
  const { body, now } = operation;
  const scope = { organisationId: operation.scope.organisationId };
  const email = String(body.email).toLowerCase();
  const workspaces = await readWorkspaces(operation, asObjects(body.workspaces));
  demandRight(operation, String(body.role), workspaces);
  if (body.role === 'admin') demandReachOfAdmins(operation.access, 'role');
  const { total } = await operation.records('users').list(scope, { where: { email, status: 'active' } });
  if (total > 0)
    throw new GatewayError('conflict', `${email} belongs to the organisation already.`, { param: 'email' });
  const details = asObject(body.workspace_api_key_details);
  const invite = await operation.records('invites').create(scope, {
    email,
    role: body.role,
    workspaces,
    ...(details === undefined ? {} : { workspace_api_key_details: details }),
    status: 'pending',
    expires_at: now + lifetimeMs,
    accepted_at: null,
    invited_by: operation.access.userId ?? null,
  });
  const link = await issueLink(operation, { ...invite, email }, host);
  await mailLink(operation, invite, link, host);
  return { id: invite.id, invite_link: link, object: 'invite' };
}

type InvitedTo = { readonly id: string; readonly role: string };

async function readWorkspaces(operation: Operation, given: readonly JsonObject[]): Promise<readonly InvitedTo[]> {
  const scope = { organisationId: operation.scope.organisationId };
  const found: InvitedTo[] = [];
  for (const { id, role } of given) {
    const workspace = await operation.records('workspaces').get(scope, String(id));
    if (workspace.status === 'archived') throw refusal('workspaces', `names an archived workspace: "${id}"`);
    if (found.some((one) => one.id === workspace.id)) throw refusal('workspaces', `names "${id}" twice`);
    found.push({ id: workspace.id, role: String(role) });
  }
  return found;
}

/** Whoever may not invite to the organisation as such may invite plain members to the workspaces that are theirs to run. */
function demandRight({ access }: Operation, role: string, workspaces: readonly InvitedTo[]): void {
  for (const { id, role: wanted } of workspaces) demandRank(access, id, wanted);
  if (access.scopesIn(undefined).has('organisation_users.create')) return;
  const foreign = workspaces.find(
    ({ id }) => !access.scopesIn(id).has('workspace_users.create') || (access.roleIn(id) ?? 'admin') !== 'admin',
  );
  if (role === 'member' && workspaces.length > 0 && foreign === undefined) return;
  throw new GatewayError(
    'forbidden',
    'Admins of a workspace may invite people as members of the organisation, to their own workspaces alone.',
    { param: role === 'member' ? 'workspaces' : 'role' },
  );
}

const again = new Set(['pending', 'expired']);

/** A new link with a new term; the one before stops working. */
export async function resendInvite(operation: Operation, invite: StoredRecord, host: ControlHost): Promise<JsonObject> {
  if (!again.has(invite.status))
    throw new GatewayError(
      'conflict',
      `The invitation is ${invite.status}; only pending and expired ones are sent again.`,
    );
  const scope = { organisationId: invite.organisation_id };
  const email = String(invite.email);
  const extended = await operation
    .records('invites')
    .update(scope, invite.id, { status: 'pending', expires_at: operation.now + lifetimeMs });
  await revokeToken(operation, invite);
  const link = await issueLink(operation, { ...invite, email }, host);
  await mailLink(operation, extended, link, host);
  return { inviteLink: link, invite_link: link };
}
