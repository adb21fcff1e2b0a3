import {
  asArray,
  asObject,
  asString,
  GatewayError,
  type Json,
  type JsonObject,
  type Operation,
  type StoredRecord,
  scopesOfKeyType,
  scopesOfWorkspaceRole,
  type WorkspaceRole,
} from 'portcullis/sdk';
import { defaultsFrom } from './defaults.ts';
import { expiryFrom } from './expiry.ts';
import { mint } from './mint.ts';
import { type Place, placeOf } from './place.ts';
import type { SecretMaker } from './secrets.ts';
import { rotationFrom } from './values.ts';

interface Joined {
  readonly workspaceId: string;
  readonly userId: string;
  readonly role: WorkspaceRole;
}

/** Whoever joins a workspace gets a key there where the settings say so; its secret waits to be fetched by its owner. */
export async function keyOnJoining(operation: Operation, maker: SecretMaker, joined: Joined): Promise<void> {
  const place = await placeOf(operation, 'workspace-user', joined.workspaceId);
  if (!place.settings.userApiKeyAutoCreate) return;
  const scopes = scopesOf(joined.role, place);
  await give(operation, maker, joined, place, {
    scopes,
    name: `${await nameOf(operation, joined.userId)} default key`,
  });
}

/** The key that an invitation promised: what was promised, as far as the role may do it. */
export async function keyOnAcceptance(
  operation: Operation,
  maker: SecretMaker,
  joined: Joined,
  promised: JsonObject,
): Promise<void> {
  const place = await placeOf(operation, 'workspace-user', joined.workspaceId);
  const asked = new Set(asArray(promised.scopes).flatMap((scope) => asString(scope) ?? []));
  const scopes = scopesOf(joined.role, place).filter((scope) => asked.has(scope));
  if (scopes.length === 0) return;
  const name = asString(promised.name) ?? `${await nameOf(operation, joined.userId)} key`;
  await give(operation, maker, joined, place, { scopes, name: name.slice(0, 255) });
}

async function give(
  operation: Operation,
  maker: SecretMaker,
  { workspaceId, userId }: Joined,
  place: Place,
  key: { readonly scopes: readonly string[]; readonly name: string },
): Promise<void> {
  const scope = { organisationId: operation.scope.organisationId, workspaceId };
  const had = await operation.records('api_keys').count(scope, { user_id: userId });
  const most = place.settings.userApiKeyCount;
  if (most >= 0 && had >= most) return;
  const config = asString(asObject(place.workspace?.defaults)?.user_api_key_config);
  const { record } = await mint(
    operation,
    maker,
    scope,
    {
      ...key,
      type: 'workspace-user',
      user_id: userId,
      creation_mode: 'auto',
      config_id: config ?? null,
      metadata: await metadataAt(operation, place),
      ...expiryFrom(undefined, place, { now: operation.now }),
      ...rotationFrom({}, place, operation.now),
    },
    { keep: true },
  );
  await operation.record({
    organisationId: record.organisation_id,
    workspaceId,
    resourceType: 'api_keys',
    resourceId: record.id,
    action: 'create',
    userType: 'system',
    detail: { name: record.name, user_id: userId, creation_mode: 'auto', key_masked: record.key },
  });
}

/** What the organisation's schema fills in. Nobody is there to be asked for more, and joining must not fail for it. */
async function metadataAt(operation: Operation, place: Place): Promise<Json> {
  try {
    return (await defaultsFrom(operation, {}, place, true)).metadata ?? null;
  } catch (error) {
    if (GatewayError.is(error)) return null;
    throw error;
  }
}

function scopesOf(role: WorkspaceRole, { settings }: Place): readonly string[] {
  const type = scopesOfKeyType('workspace-user');
  return [...scopesOfWorkspaceRole(role, settings.security)].filter((scope) => type.has(scope));
}

async function nameOf(operation: Operation, userId: string): Promise<string> {
  const { organisationId } = operation.scope;
  const user: StoredRecord | undefined = await operation.records('users').find({ organisationId }, userId);
  const names = [asString(user?.first_name), asString(user?.last_name)].filter(
    (name) => name !== undefined && name !== '',
  );
  return (names.length > 0 ? names.join(' ') : (asString(user?.email) ?? 'User')).slice(0, 200);
}
