import {
  type Action,
  allScopes,
  asNumber,
  asString,
  type ControlHost,
  GatewayError,
  type JsonObject,
  keyFamilies,
  keyTypes,
  type Operation,
  pageFields,
  pageOf,
  type StoredRecord,
  schema,
  several,
} from 'portcullis/sdk';
import { createKey, keyTypeOf } from './creation.ts';
import { creationBody } from './fields.ts';
import { assertCouldMint } from './narrowing.ts';
import { assertOutranks, personOf, roleThere } from './owner.ts';
import { assertRanksWith } from './rank.ts';
import { type KeyRecord, statusOf } from './record.ts';
import { issuedKey, keyList, rotatedKey, shownKey } from './reply-schemas.ts';
import { rotate } from './rotation.ts';
import { checkTransition, leastTransitionMs } from './rotation-policy.ts';
import { type SecretMaker, takeKeptSecret } from './secrets.ts';
import { wireForms } from './show.ts';
import { demandKeys, isVisible, type KeyAction, listedTypes, seesOwnOnly } from './visibility.ts';

const anyOf = (action: KeyAction) => keyTypes.map((type) => `${keyFamilies[type]}.${action}`);
/** Whoever holds anything: what these routes tell, the caller's key decides. */
const anyone = [...allScopes];

const name = (description: string) => schema.Optional(schema.String({ description }));

/** The routes that are not the five of every resource. */
export function keyActions(maker: SecretMaker, host: Pick<ControlHost, 'counters' | 'log'>): readonly Action[] {
  return [
    {
      method: 'post',
      path: '/api-keys/:type/:subtype',
      of: 'api_keys',
      summary: 'Create a key: organisation/service, workspace/service or workspace/user',
      needs: anyOf('create'),
      in: 'either',
      body: creationBody,
      reply: issuedKey,
      run: (operation) => createKey(operation, maker, keyTypeOf(operation.params.type, operation.params.subtype ?? '')),
    },
    {
      method: 'post',
      path: '/api-keys',
      of: 'api_keys',
      admin: true,
      summary: 'Create a key of the type that the body names',
      needs: anyOf('create'),
      in: 'either',
      body: schema.Object({
        ...creationBody.properties,
        type: schema.String({
          description: 'organisation-service, workspace-service, workspace-user, or their first word.',
        }),
        'sub-type': name('service or user'),
        sub_type: name('service or user'),
      }),
      reply: issuedKey,
      run: (operation) => createKey(operation, maker, typeInBody(operation.body)),
    },
    {
      method: 'get',
      path: '/api-keys',
      of: 'api_keys',
      admin: true,
      summary: 'List keys',
      needs: anyOf('list'),
      in: 'either',
      query: schema.Object({
        ...pageFields(),
        workspace_id: name('Id or slug.'),
        ids: schema.Optional(several(schema.String({ description: 'Ids, with commas between them.' }))),
      }),
      reply: keyList,
      run: (operation) => listKeys(operation, host),
    },
    {
      method: 'get',
      path: '/api-keys/self/details',
      summary: 'Show the key of the call itself',
      needs: anyone,
      in: 'either',
      reply: shownKey,
      run: async (operation) => {
        const { keyId, organisationId } = operation.access;
        if (keyId === undefined) throw new GatewayError('not_found', 'The call was not made with an API key.');
        const key = await operation.records<KeyRecord>('api_keys').get({ organisationId }, keyId);
        return (await wireForms(operation, host, [key]))[0] ?? {};
      },
    },
    {
      method: 'post',
      path: '/api-keys/:id/rotate',
      of: 'api_keys',
      summary: 'Give a key a new secret; the old one works on for the time of transition',
      needs: anyOf('rotate'),
      body: schema.Object({
        key_transition_period_ms: schema.Optional(
          schema.Unsafe<number | null>({ type: ['integer', 'null'], minimum: leastTransitionMs }),
        ),
      }),
      reply: rotatedKey,
      run: (operation, record) => rotateNow(operation, maker, asKey(record)),
    },
    {
      method: 'post',
      path: '/api-keys/:id/rotated-secret',
      of: 'api_keys',
      summary: 'Fetch, once, the secret that a scheduled rotation or an automatic creation has made',
      needs: anyone,
      audited: true,
      reply: issuedKey,
      run: (operation, record) => fetchKept(operation, asKey(record)),
    },
  ];
}

function asKey(record: StoredRecord | undefined): KeyRecord {
  if (record === undefined) throw new TypeError('the route names a key');
  return record as KeyRecord;
}

function typeInBody(body: JsonObject) {
  return keyTypeOf(asString(body.type), asString(body['sub-type']) ?? asString(body.sub_type));
}

async function listKeys(operation: Operation, host: Pick<ControlHost, 'counters' | 'log'>): Promise<JsonObject> {
  const { access, scope, query } = operation;
  const ids = query.ids
    ?.split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const { total, records } = await operation.records<KeyRecord>('api_keys').list(scope, {
    where: {
      type: listedTypes(access, scope.workspaceId),
      ...(ids === undefined ? {} : { id: ids }),
      ...(seesOwnOnly(access, scope.workspaceId) ? { user_id: personOf(access) ?? '' } : {}),
    },
    ...pageOf(operation),
  });
  return { object: 'list', total, data: await wireForms(operation, host, records) };
}

async function rotateNow(operation: Operation, maker: SecretMaker, key: KeyRecord): Promise<JsonObject> {
  await assertMayHold(operation, key);
  if (statusOf(key, operation.now) === 'expired') {
    throw new GatewayError('bad_request', 'The key has expired: give it a later expires_at before you rotate it.', {
      param: 'id',
    });
  }
  const param = 'key_transition_period_ms';
  const transitionMs = asNumber(operation.body[param]) ?? key.rotation?.key_transition_period_ms ?? leastTransitionMs;
  checkTransition(transitionMs, key.rotation, param);
  const { secret, transitionEndsAt, detail } = await rotate(operation, maker, key, { mode: 'manual', transitionMs });
  operation.audit(detail);
  return { id: key.id, key: secret, key_transition_expires_at: operation.time(transitionEndsAt), object: 'api-key' };
}

async function fetchKept(operation: Operation, key: KeyRecord): Promise<JsonObject> {
  const { access } = operation;
  const isItself = access.keyId === key.id;
  const isOwner = key.user_id !== null && key.user_id === personOf(access);
  if (!isItself && !isOwner) await assertMayHold(operation, key);
  const secret = await takeKeptSecret(operation, key.id);
  if (secret === undefined)
    throw new GatewayError('not_found', 'No secret of this key waits to be fetched.', { param: 'id' });
  operation.audit({ api_key_id: key.id, key_masked: key.key });
  return { id: key.id, key: secret, object: 'api-key' };
}

/** The caller is about to be shown the secret, so it must be one who could make such a key for such a person. */
async function assertMayHold(operation: Operation, key: KeyRecord): Promise<void> {
  const { access } = operation;
  const workspaceId = key.workspace_id ?? undefined;
  demandKeys(access, 'rotate', key.type, workspaceId);
  if (!isVisible(access, key)) throw new GatewayError('not_found', 'There is no such key.', { param: 'id' });
  // Of one's own key nobody learns more than the role gives anyway.
  if (key.user_id !== null && key.user_id === personOf(access)) return;
  assertCouldMint(access, key);
  assertRanksWith(access, key);
  if (key.user_id === null || workspaceId === undefined) return;
  const role = await roleThere(operation, workspaceId, key.user_id);
  if (role !== undefined) assertOutranks(access, workspaceId, role);
}
