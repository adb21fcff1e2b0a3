import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  accessOfKey,
  accessOfMember,
  accessOfSession,
  accessOfToken,
  type KeyEntry,
  type MemberEntry,
  type OrganisationRole,
  type SecurityToggles,
  scopesOfKeyType,
  type WorkspaceRole,
} from 'portcullis/sdk';

function memberWith(
  facts: {
    readonly role?: OrganisationRole;
    readonly security?: SecurityToggles;
    readonly workspaces?: Readonly<Record<string, readonly [WorkspaceRole, SecurityToggles?]>>;
  } = {},
): MemberEntry {
  const { role = 'member', security = {}, workspaces = { w1: ['member'] } } = facts;
  return {
    organisationId: 'o1',
    userId: 'u1',
    email: 'ada@example.com',
    role,
    security,
    workspaces: Object.entries(workspaces).map(([id, [there, toggles = {}]]) => ({
      id,
      slug: `ws-${id}`,
      role: there,
      security: toggles,
    })),
  };
}

function keyWith(fields: Partial<KeyEntry> = {}): KeyEntry {
  const { type = 'workspace-service' } = fields;
  return {
    organisationId: 'o1',
    id: 'k1',
    name: 'web',
    type,
    scopes: [...scopesOfKeyType(type)],
    status: 'active',
    allowConfigOverride: true,
    ...(type === 'organisation-service' ? {} : { workspaceId: 'w1' }),
    ...fields,
  };
}

const userKey = (member: MemberEntry | undefined, scopes?: readonly string[]) =>
  keyWith({
    type: 'workspace-user',
    userId: 'u1',
    ...(member === undefined ? {} : { member }),
    ...(scopes === undefined ? {} : { scopes }),
  });

describe("an organisation's key", () => {
  it('acts in the organisation and in each of its workspaces', () => {
    const access = accessOfKey(keyWith({ type: 'organisation-service', scopes: ['configs.read', 'audit_logs.list'] }));
    assert.equal(access.workspaceId, undefined);
    assert.deepEqual([...access.scopesIn(undefined)], ['configs.read', 'audit_logs.list']);
    assert.deepEqual([...access.scopesIn('w2')], ['configs.read', 'audit_logs.list']);
  });

  it('never has what its type cannot hold, whatever is stored', () => {
    const access = accessOfKey(
      keyWith({ type: 'organisation-service', scopes: ['completions.write', 'made.up', 'configs.read'] }),
    );
    assert.deepEqual([...access.scopesIn('w1')], ['configs.read']);
  });
});

describe("a workspace's key", () => {
  it('acts in its workspace and in no other', () => {
    const access = accessOfKey(keyWith({ scopes: ['configs.read', 'completions.write'] }));
    assert.deepEqual([...access.scopesIn('w1')], ['configs.read', 'completions.write']);
    assert.equal(access.scopesIn('w2').size, 0);
  });

  it('sees what the organisation offers, and changes nothing there', () => {
    const above = accessOfKey(keyWith()).scopesIn(undefined);
    assert.deepEqual([...above].sort(), [
      'organisation_agent_integrations.list',
      'organisation_integrations.list',
      'organisation_mcp_integrations.list',
      'workspaces.list',
      'workspaces.read',
    ]);
  });

  it('has no person and no role', () => {
    const access = accessOfKey(keyWith());
    assert.equal(access.userId, undefined);
    assert.equal(access.organisationRole, undefined);
    assert.equal(access.roleIn('w1'), undefined);
  });
});

describe("a user's key", () => {
  it('is cut by the live role of its owner', () => {
    const member = memberWith({ workspaces: { w1: ['member'] } });
    const access = accessOfKey(
      userKey(member, ['configs.read', 'configs.create', 'policies.read', 'completions.write']),
    );
    assert.deepEqual([...access.scopesIn('w1')], ['configs.read', 'completions.write']);
  });

  it('is cut by the toggles of the workspace', () => {
    const open = memberWith({
      workspaces: { w1: ['member', { membersWriteConfigs: true, membersViewAnalytics: false }] },
    });
    const scopes = accessOfKey(userKey(open, ['configs.create', 'analytics.view'])).scopesIn('w1');
    assert.deepEqual([...scopes], ['configs.create']);
  });

  it('can do nothing once its owner is gone, or no member of the workspace', () => {
    assert.equal(accessOfKey(userKey(undefined)).scopesIn('w1').size, 0);
    assert.equal(accessOfKey(userKey(memberWith({ workspaces: { w2: ['admin'] } }))).scopesIn('w1').size, 0);
  });

  it('never manages keys, even for an owner of the organisation', () => {
    const scopes = accessOfKey(userKey(memberWith({ role: 'owner', workspaces: {} }))).scopesIn('w1');
    assert.ok(scopes.has('completions.write'));
    assert.deepEqual(
      [...scopes].filter((scope) => scope.includes('api_keys')),
      [],
    );
  });

  it('stays in its workspace though its owner is in others', () => {
    const access = accessOfKey(userKey(memberWith({ workspaces: { w1: ['admin'], w2: ['admin'] } })));
    assert.equal(access.scopesIn('w2').size, 0);
    assert.equal(access.roleIn('w2'), undefined);
    assert.equal(access.roleIn('w1'), 'admin');
  });
});

describe('a person', () => {
  it('has the rights of the role in each workspace, and none in others', () => {
    const access = accessOfMember(memberWith({ workspaces: { w1: ['member'], w2: ['manager'] } }));
    assert.ok(!access.scopesIn('w1').has('policies.create'));
    assert.ok(access.scopesIn('w2').has('policies.create'));
    assert.equal(access.scopesIn('w3').size, 0);
    assert.deepEqual([...access.scopesIn(undefined)].sort(), ['workspaces.list', 'workspaces.read']);
  });

  it('who owns or runs the organisation is admin of every workspace', () => {
    for (const role of ['owner', 'admin'] as const) {
      const access = accessOfMember(memberWith({ role, workspaces: {} }));
      assert.equal(access.roleIn('any'), 'admin');
      assert.ok(access.scopesIn('any').has('completions.write'));
      assert.ok(access.scopesIn(undefined).has('organisation_users.delete'));
    }
  });

  it('who runs the organisation leaves its deployments to the owner', () => {
    const of = (role: OrganisationRole) => accessOfMember(memberWith({ role })).scopesIn(undefined);
    assert.ok(of('owner').has('deployments.create'));
    assert.ok(!of('admin').has('deployments.create'));
  });

  it('who runs the organisation does not see logs that the toggles hide, member of the workspace or not', () => {
    const hidden = { organisationAdminsViewLogs: false };
    const cases = [
      memberWith({ role: 'admin', security: hidden, workspaces: {} }),
      memberWith({ role: 'admin', security: hidden, workspaces: { w1: ['admin'] } }),
      memberWith({ role: 'owner', security: hidden, workspaces: { w1: ['member'] } }),
    ];
    for (const member of cases) {
      const scopes = accessOfMember(member).scopesIn('w1');
      assert.ok(!scopes.has('logs.view'));
      assert.ok(scopes.has('logs.list'), 'that there was a request is another right');
    }
  });

  it('keeps the id of the session, and is another object for another session', () => {
    const member = memberWith();
    const session = { organisationId: 'o1', id: 's1', startedAt: 0, expiresAt: 1, member };
    const access = accessOfSession(session);
    assert.equal(access.sessionId, 's1');
    assert.equal(accessOfSession(session), access);
    assert.equal(accessOfMember(member).sessionId, undefined);
    assert.equal(accessOfSession(session).sessionId, 's1');
  });
});

describe('a token', () => {
  it('behaves as a key of its workspace, and never reaches the organisation', () => {
    const access = accessOfToken({
      organisationId: 'o1',
      workspaceId: 'w1',
      scopes: [
        'completions.write',
        'organisation_users.delete',
        'organisation_integrations.list',
        'feedbacks.write',
        'x',
      ],
      userId: 'ada',
    });
    assert.deepEqual([...access.scopesIn('w1')], ['completions.write', 'feedbacks.write']);
    assert.equal(access.scopesIn('w2').size, 0);
    assert.equal(access.scopesIn(undefined).size, 0);
    assert.equal(access.userId, 'ada');
    assert.equal(access.organisationRole, undefined);
  });
});

describe('the two names of a right over providers', () => {
  it('count as each other', () => {
    const of = (...scopes: string[]) => accessOfKey(keyWith({ scopes })).scopesIn('w1');
    assert.ok(of('virtual_keys.read').has('providers.read'));
    assert.ok(of('providers.create').has('virtual_keys.create'));
    assert.deepEqual([...of('virtual_keys.copy')], ['virtual_keys.copy']);
  });
});

describe('on the hot path', () => {
  it('the access of an entry and its sets are worked out once', () => {
    const entry = userKey(memberWith());
    const access = accessOfKey(entry);
    assert.equal(accessOfKey(entry), access);
    assert.equal(access.scopesIn('w1'), access.scopesIn('w1'));
    const person = accessOfMember(memberWith({ role: 'owner' }));
    assert.equal(person.scopesIn('elsewhere'), person.scopesIn('and elsewhere'));
  });
});
