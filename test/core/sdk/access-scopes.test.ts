import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  allScopes,
  isScope,
  scopesOfKeyType,
  scopesOfWorkspaceRole,
  securityToggles,
  standardToggles,
  toggleNames,
  toggleOn,
  tokenScopes,
  twinOf,
} from 'portcullis/sdk';

const organisation = scopesOfKeyType('organisation-service');
const service = scopesOfKeyType('workspace-service');
const user = scopesOfKeyType('workspace-user');

describe('the catalogue of scopes', () => {
  it('differs between the two types of workspace key by the management of keys alone', () => {
    const difference = [...service].filter((scope) => !user.has(scope));
    assert.equal(difference.length, 12);
    assert.ok(difference.every((scope) => /^workspace_(service|user)_api_keys\./.test(scope)));
    assert.ok([...user].every((scope) => service.has(scope)));
  });

  it('gives keys of the organisation nothing of inference', () => {
    assert.deepEqual([...service].filter((scope) => !organisation.has(scope)).sort(), [
      'agents.invoke',
      'completions.write',
      'guardrails.invoke',
      'logs.write',
      'mcp.invoke',
      'prompts.render',
    ]);
  });

  it('gives keys of a workspace no more of the organisation than lists', () => {
    assert.deepEqual([...service].filter((scope) => scope.startsWith('organisation_')).sort(), [
      'organisation_agent_integrations.list',
      'organisation_integrations.list',
      'organisation_mcp_integrations.list',
    ]);
    assert.deepEqual([...service].filter((scope) => scope.startsWith('workspaces.')).sort(), [
      'workspaces.list',
      'workspaces.read',
      'workspaces.update',
    ]);
    for (const closed of ['secret_references.read', 'audit_logs.list', 'deployments.list', 'plugins.list']) {
      assert.ok(organisation.has(closed) && !service.has(closed), closed);
    }
  });

  it('has a scope of rotation for every type of key', () => {
    for (const type of ['organisation_service', 'workspace_service', 'workspace_user']) {
      assert.ok(isScope(`${type}_api_keys.rotate`));
    }
  });

  it('is the union of what the types may hold', () => {
    assert.deepEqual([...allScopes].sort(), [...new Set([...organisation, ...service, ...user])].sort());
    assert.ok(!isScope('configs'));
    assert.ok(!isScope('__proto__.read'));
  });

  it('lets no token claim anything of the organisation', () => {
    assert.deepEqual(
      [...tokenScopes].filter((scope) => scope.startsWith('organisation_')),
      [],
    );
    assert.ok(tokenScopes.has('completions.write') && tokenScopes.has('feedbacks.read'));
  });

  it('knows the other name of a right over providers, where there is one', () => {
    assert.equal(twinOf('virtual_keys.read'), 'providers.read');
    assert.equal(twinOf('providers.delete'), 'virtual_keys.delete');
    assert.equal(twinOf('virtual_keys.copy'), undefined);
    assert.equal(twinOf('configs.read'), undefined);
    assert.equal(twinOf('constructor.read'), undefined);
  });
});

describe('the security toggles', () => {
  it('are the 35 of the product', () => assert.equal(toggleNames.length, 35));

  it('are on by default, but for what members may write beside keys of their own', () => {
    assert.deepEqual(
      Object.keys(standardToggles).filter((name) => !standardToggles[name]),
      ['membersWriteConfigs', 'membersWritePrompts', 'membersWriteGuardrails', 'membersWriteVirtualKeys'],
    );
  });

  it('that nobody knows are off', () => {
    assert.equal(toggleOn({}, 'constructor'), false);
    assert.equal(toggleOn({}, 'made_up'), false);
  });

  it('name scopes that exist', () => {
    const named = Object.values(securityToggles).flatMap(({ removes }) => removes);
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter((scope) => !isScope(scope)),
      [],
    );
  });

  for (const [name, { role, removes }] of Object.entries(securityToggles)) {
    if (role === 'organisation_admin' || removes.length === 0) continue;
    it(`${name} decides for the ${role} alone`, () => {
      const on = scopesOfWorkspaceRole(role, { [name]: true });
      const off = scopesOfWorkspaceRole(role, { [name]: false });
      const other = role === 'member' ? 'manager' : 'member';
      assert.deepEqual(
        [...on].filter((scope) => !off.has(scope)).sort(),
        removes.filter((scope) => on.has(scope)).toSorted(),
      );
      assert.ok(off.size < on.size, 'it takes something away');
      assert.deepEqual(scopesOfWorkspaceRole(other, { [name]: false }), scopesOfWorkspaceRole(other, { [name]: true }));
      assert.deepEqual(scopesOfWorkspaceRole('admin', { [name]: false }), scopesOfWorkspaceRole('admin', {}));
    });
  }
});

describe('the roles of a workspace', () => {
  it('hold no more than the role above them', () => {
    const [admin, manager, member] = (['admin', 'manager', 'member'] as const).map((role) =>
      scopesOfWorkspaceRole(role, Object.fromEntries(toggleNames.map((name) => [name, true]))),
    );
    assert.deepEqual(
      [...(member ?? [])].filter((scope) => !manager?.has(scope)),
      [],
    );
    assert.deepEqual(
      [...(manager ?? [])].filter((scope) => !admin?.has(scope)),
      [],
    );
  });

  it('let members manage no keys but those of people, their own', () => {
    const keys = [...scopesOfWorkspaceRole('member', {})].filter((scope) => scope.includes('api_keys'));
    assert.ok(keys.length > 0 && keys.every((scope) => scope.startsWith('workspace_user_api_keys.')));
  });
});
