import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Access,
  accessOfKey,
  accessOfMember,
  accessOfToken,
  allScopes,
  GatewayError,
  type KeyEntry,
  type KeyType,
  keyTypes,
  type MemberEntry,
  organisationRoles,
  scopesOfKeyType,
  toggleNames,
  workspaceRoles,
} from 'portcullis/sdk';
import {
  assertCouldMint,
  checkedScopes,
  grantableScopes,
  narrowedScopes,
} from '../../../plugins/api-keys/narrowing.ts';

function keyOf(type: KeyType, scopes: readonly string[], member?: MemberEntry): KeyEntry {
  return {
    organisationId: 'o1',
    id: 'k1',
    name: 'key',
    type,
    scopes,
    status: 'active',
    allowConfigOverride: true,
    ...(type === 'organisation-service' ? {} : { workspaceId: 'w1' }),
    ...(type === 'workspace-user' ? { userId: 'u1' } : {}),
    ...(member === undefined ? {} : { member }),
  };
}

const places = ['w1', 'w2', undefined] as const;
/** What keys of the organisation hand out though they cannot hold it. */
const inference = [...scopesOfKeyType('workspace-service')].filter(
  (scope) => !scopesOfKeyType('organisation-service').has(scope),
);

describe('the scopes of a new key', () => {
  it('are refused by name when its type cannot hold them, and the accepted ones are listed', () => {
    assert.throws(
      () => checkedScopes(['configs.read', 'completions.write', 'made.up'], 'organisation-service'),
      (error: unknown) => {
        assert.ok(GatewayError.is(error));
        assert.equal(error.code, 'bad_request');
        assert.equal(error.param, 'scopes');
        assert.match(error.message, /cannot have "completions\.write", "made\.up"\. Accepted: .*configs\.read/);
        return true;
      },
    );
  });

  it('must be at least one, and count once', () => {
    assert.throws(() => checkedScopes([], 'workspace-user'), { code: 'bad_request', param: 'scopes' });
    assert.deepEqual(checkedScopes(['configs.read', 'configs.read'], 'workspace-user'), ['configs.read']);
  });

  it('are refused by name when the maker lacks them', () => {
    const access = accessOfKey(keyOf('workspace-service', ['workspace_service_api_keys.create', 'configs.read']));
    assert.throws(
      () =>
        narrowedScopes(['configs.read', 'configs.delete'], { access, type: 'workspace-service', workspaceId: 'w1' }),
      { code: 'forbidden', param: 'scopes', message: /You may not grant configs\.delete:/ },
    );
  });

  it('of inference come from a key of the organisation that may create such keys, not from one that may not', () => {
    const from = (...scopes: string[]) =>
      grantableScopes(accessOfKey(keyOf('organisation-service', scopes)), 'workspace-service', 'w1');
    assert.ok(from('workspace_service_api_keys.create').has('completions.write'));
    assert.ok(!from('workspace_service_api_keys.create').has('configs.read'));
    assert.ok(!from('workspace_user_api_keys.create').has('completions.write'));
    assert.equal(from('workspace_service_api_keys.update').size, 0 + 1, 'only what it holds itself');
  });

  it('that the key has already may stay, whoever changes the rest', () => {
    const access = accessOfKey(keyOf('workspace-service', ['workspace_service_api_keys.update', 'configs.read']));
    const change = (scopes: readonly string[]) =>
      narrowedScopes(scopes, { access, type: 'workspace-service', workspaceId: 'w1', kept: ['logs.view'] });
    assert.deepEqual(change(['logs.view', 'configs.read']), ['logs.view', 'configs.read']);
    assert.throws(() => change(['logs.view', 'logs.export']), { code: 'forbidden' });
  });
});

describe('whoever is shown a secret', () => {
  it('could have made the key', () => {
    const rotator = accessOfKey(keyOf('workspace-service', ['workspace_service_api_keys.rotate', 'configs.read']));
    const key = (...scopes: string[]) => ({ type: 'workspace-service' as const, workspace_id: 'w1', scopes });
    assertCouldMint(rotator, key('configs.read'));
    assert.throws(() => assertCouldMint(rotator, key('configs.read', 'configs.delete')), {
      code: 'forbidden',
      message: /configs\.delete/,
    });
    assert.throws(() => assertCouldMint(rotator, { ...key('configs.read'), workspace_id: 'w2' }), {
      code: 'forbidden',
    });
  });
});

const anyScopes = fc.subarray([...allScopes, 'made.up', 'completions.read']);
const anyToggles = fc.dictionary(fc.constantFrom(...toggleNames), fc.boolean());
const anyMember: fc.Arbitrary<MemberEntry> = fc.record({
  organisationId: fc.constant('o1'),
  userId: fc.constant('u1'),
  email: fc.constant('ada@example.com'),
  role: fc.constantFrom(...organisationRoles),
  security: anyToggles,
  workspaces: fc.subarray(['w1', 'w2']).chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constant(id),
          slug: fc.constant(id),
          role: fc.constantFrom(...workspaceRoles),
          security: anyToggles,
        }),
      ),
    ),
  ),
});
const anyActor: fc.Arbitrary<Access> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...keyTypes), anyScopes, anyMember)
    .map(([type, scopes, member]) => accessOfKey(keyOf(type, scopes, type === 'workspace-user' ? member : undefined))),
  anyMember.map((member) => accessOfMember(member, { sessionId: 's1' })),
  anyScopes.map((scopes) => accessOfToken({ organisationId: 'o1', workspaceId: 'w1', scopes })),
);

/** What the rule of keys of the organisation adds: nothing that manages anything. */
function extra(actor: Access, type: KeyType): readonly string[] {
  return actor.keyType === 'organisation-service' && type !== 'organisation-service' ? inference : [];
}

describe('no key', () => {
  it('gets more than its maker may do in the same place, whoever makes it', () => {
    let made = 0;
    fc.assert(
      fc.property(
        anyActor,
        fc.constantFrom(...keyTypes),
        fc.constantFrom('w1', 'w2'),
        fc.subarray([...allScopes], { minLength: 1, maxLength: 4 }),
        anyMember,
        (actor, type, home, asked, owner) => {
          const workspaceId = type === 'organisation-service' ? undefined : home;
          let scopes: readonly string[];
          try {
            scopes = narrowedScopes(asked, { access: actor, type, workspaceId });
          } catch (error) {
            assert.ok(GatewayError.is(error) && (error.code === 'forbidden' || error.code === 'bad_request'));
            return;
          }
          made += 1;
          const key = accessOfKey({
            ...keyOf(type, scopes, type === 'workspace-user' ? owner : undefined),
            ...(workspaceId === undefined ? {} : { workspaceId }),
          });
          for (const place of places) {
            const mayThere = new Set([...actor.scopesIn(place), ...extra(actor, type)]);
            for (const scope of key.scopesIn(place)) {
              // What a workspace's key sees of the organisation, its maker sees from the workspace.
              const may = mayThere.has(scope) || (place === undefined && actor.scopesIn(workspaceId).has(scope));
              assert.ok(may, `${scope} in ${place}`);
            }
          }
        },
      ),
      { numRuns: 3000 },
    );
    assert.ok(made > 200, `${made} keys were made at all`);
  });

  it('gets more by edits than it had and its editors may do, however many edit it', () => {
    const edit = fc.tuple(
      anyActor,
      fc.subarray([...scopesOfKeyType('workspace-service')], { minLength: 1, maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), fc.subarray(inference), (edits, first) => {
        let scopes: readonly string[] = first;
        const allowed = new Set(first);
        for (const [actor, asked] of edits) {
          for (const scope of grantableScopes(actor, 'workspace-service', 'w1')) allowed.add(scope);
          try {
            scopes = narrowedScopes(asked, {
              access: actor,
              type: 'workspace-service',
              workspaceId: 'w1',
              kept: scopes,
            });
          } catch (error) {
            assert.ok(GatewayError.is(error));
          }
        }
        assert.deepEqual(
          scopes.filter((scope) => !allowed.has(scope)),
          [],
        );
      }),
      { numRuns: 500 },
    );
  });
});
