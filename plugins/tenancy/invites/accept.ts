import { asObject, asObjects, GatewayError, type JsonObject, type Operation, type StoredRecord } from 'portcullis/sdk';
import { claimToken } from './token.ts';

/** Makes the person who holds the token a user, with the memberships that the invitation promised. `asked` holds what they sent. */
export async function acceptInvite(anyone: Operation, asked: Operation): Promise<JsonObject> {
  const { body, id, clientIp } = asked;
  const claim = await claimToken(anyone, String(body.token));
  const scope = { organisationId: claim.organisation_id };
  const operation = anyone.at(scope);
  const invites = operation.records('invites');
  const invite = await invites.get(scope, claim.invite_id);
  const user = await joined(operation, invite, body);
  if (typeof body.password === 'string') await operation.emit('users.password', user, { password: body.password });
  const workspaces = await joinWorkspaces(operation, user, asObjects(invite.workspaces));
  const accepted = await invites.update(scope, invite.id, { status: 'accepted', accepted_at: operation.now });
  const details = asObject(invite.workspace_api_key_details);
  await operation.emit('invites.accepted', accepted, {
    user_id: user.id,
    workspaces,
    ...(details === undefined ? {} : { workspace_api_key_details: details }),
  });
  await operation.record({
    organisationId: scope.organisationId,
    resourceType: 'invites',
    resourceId: invite.id,
    action: 'accept',
    userId: user.id,
    userType: 'user',
    requestId: id,
    clientIp,
    status: 200,
  });
  return {
    id: user.id,
    email: String(user.email),
    role: String(user.role),
    organisation_id: scope.organisationId,
    workspace_ids: workspaces.map(({ id }) => id ?? null),
    object: 'user',
  };
}

/** A new user, or one who has left and comes back with what the invitation says alone. */
async function joined({ records, scope }: Operation, invite: StoredRecord, body: JsonObject): Promise<StoredRecord> {
  const { email, role } = invite;
  const people = records('users');
  const given = {
    role,
    ...(body.first_name === undefined ? {} : { first_name: body.first_name }),
    ...(body.last_name === undefined ? {} : { last_name: body.last_name }),
  };
  const [known] = (await people.list(scope, { where: { email: String(email) } })).records;
  if (known === undefined) return people.create(scope, { email, ...given });
  if (known.status === 'active')
    throw new GatewayError('conflict', 'The person belongs to the organisation already.', { param: 'token' });
  return people.update(scope, known.id, { status: 'active', ...given });
}

/** Workspaces that are gone by now are passed over. */
async function joinWorkspaces(
  operation: Operation,
  user: StoredRecord,
  promised: readonly JsonObject[],
): Promise<JsonObject[]> {
  const { organisationId } = operation.scope;
  const there: JsonObject[] = [];
  for (const { id, role } of promised) {
    const workspace = await operation.records('workspaces').find({ organisationId }, String(id));
    if (workspace === undefined || workspace.status === 'archived') continue;
    const scope = { organisationId, workspaceId: workspace.id };
    await operation.at(scope).records('workspace_members').create(scope, { user_id: user.id, role });
    there.push({ id: workspace.id, role: role ?? null });
  }
  return there;
}
