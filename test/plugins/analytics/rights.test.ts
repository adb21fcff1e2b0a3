import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { allScopes } from 'portcullis/sdk';
import type { TestCaller } from '../../support/control.ts';
import { type LogWorld, logWorld, stretch } from '../logs/world.ts';

const path = `/v1/analytics/graphs/requests?${stretch}`;

function person({ workspaceId }: LogWorld, workspaceRole: 'admin' | 'manager' | 'member'): TestCaller {
  return { userId: 'user-1', workspaceId, organisationRole: 'member', workspaceRole, scopes: [...allScopes] };
}

async function totalFor({ control }: LogWorld, as: TestCaller): Promise<unknown> {
  return ((await control.ok('GET', path, { as })).summary as JsonObject).total;
}

it('shows people the requests of others only while the organisation lets their role see all data', async (t) => {
  const world = await logWorld(t);
  world.seed({ keyId: 'of-somebody' });
  for (const role of ['member', 'manager', 'admin'] as const)
    assert.equal(await totalFor(world, person(world, role)), 1);
  await world.control.ok('PUT', '/v1/organisation', {
    body: { security_settings: { membersViewAllData: false, managersViewAllData: false } },
  });
  assert.equal(await totalFor(world, person(world, 'member')), 0);
  assert.equal(await totalFor(world, person(world, 'manager')), 0);
  assert.equal(await totalFor(world, person(world, 'admin')), 1);
  assert.equal(await totalFor(world, world.key), 1, 'a key of a service is nobody');
  // The key that a person calls with is one of its own.
  assert.equal(await totalFor(world, { ...person(world, 'member'), keyId: 'of-somebody' }), 1);
  const asked = await world.control.ok('GET', `${path}&api_key_ids=of-somebody`, { as: person(world, 'member') });
  assert.deepEqual(asked.summary, { total: 0 });
});

it('lets owners and admins look at an archived workspace, and nobody else', async (t) => {
  const world = await logWorld(t);
  world.seed();
  const { control, workspaceId } = world;
  await control.ok('DELETE', `/v1/workspaces/${workspaceId}`, { body: { force_delete: true } });
  const asked = `${path}&workspace_slug=${workspaceId}`;
  assert.deepEqual((await control.ok('GET', asked)).summary, { total: 1 });
  const member = { userId: 'user-1', organisationRole: 'member', workspaceRole: 'member' } as const;
  assert.equal((await control.call('GET', asked, { as: member })).status, 404);
});
