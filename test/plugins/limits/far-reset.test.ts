import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chatReply, limitedWorld } from './world.ts';

const budget = {
  credit_limit: 1000,
  type: 'tokens',
  periodic_reset: 'weekly',
  next_usage_reset_at: '2026-12-14T00:00:00Z',
};

it('a count whose first reset is far ahead is named by no day to come, whosever it is', async (t) => {
  const { control, peer, integrationId, ask, stored } = await limitedWorld(t);
  const make = async (path: string, body: object) => String((await control.ok('POST', path, { body: { ...body } })).id);
  peer.always({ body: chatReply(5, 5) });
  const limits = { usage_limits: [budget] };
  const workspace_id = await make('/v1/workspaces', { name: 'Far', ...limits });
  await control.ok('PUT', `/v1/integrations/${integrationId}/workspaces`, {
    body: { workspaces: [{ id: workspace_id, enabled: true, ...limits }] },
  });
  await make('/v1/providers', { name: 'far', integration_id: integrationId, slug: 'far', workspace_id, ...limits });
  await make('/v1/policies/usage-limits', {
    ...budget,
    workspace_id,
    conditions: [{ key: 'workspace_id', value: '*' }],
    group_by: [{ key: 'workspace_id' }],
  });
  const made = { name: 'far', workspace_id, scopes: ['completions.write'], ...limits };
  const { id, key } = await control.ok('POST', '/v1/api-keys/workspace/service', { body: made });
  assert.equal((await ask(String(key), { model: '@far/gpt-4o-mini' })).status, 200);
  await stored(`budget/key/${id}/tokens`, 10);
  const { counts = [] } = (await control.gateway.control?.counters.list(
    control.organisationId,
    'budget/',
    undefined,
    10,
    0,
  )) ?? { counts: [] };
  assert.deepEqual(counts.map(({ name }) => name.split('/')[1]).sort(), [
    'grant',
    'key',
    'policy',
    'provider',
    'workspace',
  ]);
  const changed = await control.gateway.control?.counters.changedSince(0, 100);
  const starts = (changed ?? []).map(({ start }) => start);
  assert.ok(starts.length >= counts.length && starts.every((start) => start <= control.now()), String(starts));
});
