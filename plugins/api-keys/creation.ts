import { asString, GatewayError, type JsonObject, type KeyType, keyTypes, type Operation } from 'portcullis/sdk';
import { mint } from './mint.ts';
import { assertRoomFor, ownerFor, personOf } from './owner.ts';
import { isPersonal, placeOf } from './place.ts';
import { rankFrom } from './rank.ts';
import type { SecretMaker } from './secrets.ts';
import { valuesOfNew } from './values.ts';
import { demandKeys } from './visibility.ts';

/** Makes the key that a call asks for; the reply shows its secret, this once. */
export async function createKey(operation: Operation, maker: SecretMaker, type: KeyType): Promise<JsonObject> {
  const { access, body } = operation;
  const workspaceId = placeFor(operation, type);
  demandKeys(access, 'create', type, workspaceId);
  const place = await placeOf(operation, type, workspaceId);
  const values = await valuesOfNew(operation, body, place);
  const scope = {
    organisationId: operation.scope.organisationId,
    ...(workspaceId === undefined ? {} : { workspaceId }),
  };
  const owner: JsonObject = {};
  if (isPersonal(type) && workspaceId !== undefined) {
    const userId = await ownerFor(operation, workspaceId, asString(body.user_id));
    await assertRoomFor(operation, place, workspaceId, userId);
    Object.assign(owner, { user_id: userId });
  } else if (asString(body.user_id) !== undefined) {
    throw new GatewayError('bad_request', `Keys of type ${type} belong to nobody: leave user_id out.`, {
      param: 'user_id',
    });
  }
  const rank = type === 'workspace-service' && workspaceId !== undefined ? { rank: rankFrom(access, workspaceId) } : {};
  const creationMode = personOf(access) === undefined ? 'api' : 'ui';
  const { record, secret } = await mint(
    operation,
    maker,
    scope,
    { ...values, ...owner, ...rank, type, creation_mode: creationMode },
    { keep: false },
  );
  operation.audit({ api_key_id: record.id, name: record.name, type, key_masked: record.key });
  return { id: record.id, key: secret, object: 'api-key' };
}

/** The workspace of a workspace's key; a key of the organisation has none, and none who is bound to one can make it. */
function placeFor({ access, scope }: Operation, type: KeyType): string | undefined {
  if (type === 'organisation-service') {
    if (access.workspaceId === undefined) return undefined;
    throw new GatewayError('forbidden', 'A key of a workspace cannot make keys of the organisation.');
  }
  if (scope.workspaceId !== undefined) return scope.workspaceId;
  throw new GatewayError('bad_request', 'workspace_id is required: the id or slug of a workspace.', {
    param: 'workspace_id',
  });
}

/**
 * `workspace`, `user` -> `workspace-user`; the first may be the whole type.
 * @throws GatewayError `bad_request` for a type that there is not, such as a user's key of the organisation
 */
export function keyTypeOf(type: string | undefined, subtype: string | undefined): KeyType {
  const whole = subtype === undefined ? type : `${type}-${subtype}`;
  const found = keyTypes.find((one) => one === whole);
  if (found !== undefined) return found;
  throw new GatewayError(
    'bad_request',
    `There are no keys of type "${String(whole).slice(0, 60)}". Accepted: ${keyTypes.join(', ')}.`,
    { param: 'type' },
  );
}
