import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asArray, asObject, type JsonObject } from 'portcullis/sdk';
import { chatReply, limitedWorld, type World } from './world.ts';

const dayMs = 86_400_000;
const weekly = { credit_limit: 1000, type: 'tokens', periodic_reset: 'weekly' };
const begun = Date.UTC(2026, 10, 23);

interface Owner {
  readonly name: string;
  readonly make: (
    world: World,
  ) => Promise<{ readonly change: (limits: JsonObject) => Promise<unknown>; readonly path: string }>;
}

const owners: readonly Owner[] = [
  {
    name: 'a key',
    make: async (world) => {
      const path = `/v1/api-keys/${(await world.key()).id}`;
      return { path, change: (body) => world.control.ok('PUT', path, { body }) };
    },
  },
  {
    name: 'a workspace',
    make: async (world) => {
      const path = `/v1/admin/workspaces/${world.workspaceId}`;
      return { path, change: (body) => world.control.ok('PUT', path, { body }) };
    },
  },
  {
    name: 'a provider',
    make: async ({ control, workspaceId }) => {
      const path = `/v1/providers/prod?workspace_id=${workspaceId}`;
      return { path, change: (body) => control.ok('PUT', path, { body }) };
    },
  },
  {
    name: 'the use of an integration',
    make: async ({ control, workspaceId, integrationId }) => {
      const path = `/v1/integrations/${integrationId}/workspaces`;
      const change = (limits: JsonObject) =>
        control.ok('PUT', path, { body: { workspaces: [{ id: workspaceId, enabled: true, ...limits }] } });
      return { path, change };
    },
  },
];

for (const { name, make } of owners) {
  it(`a first reset that is set anew leaves the count of ${name} that runs`, async (t) => {
    const world = await limitedWorld(t);
    const { control } = world;
    const { path, change } = await make(world);
    const lastReset = async () => {
      const shown = await control.ok('GET', path);
      const found = asObject(asArray(shown.workspaces)[0]) ?? shown;
      const at = found.last_reset_at;
      return typeof at === 'number' ? at * 1000 : Date.parse(String(at));
    };
    await change({ usage_limits: [weekly] });
    await change({ reset_usage: true });
    assert.ok((await lastReset()) < begun);
    control.advance(5 * dayMs);
    assert.equal(await lastReset(), begun);
    await change({ usage_limits: [{ ...weekly, next_usage_reset_at: '2026-11-30T00:00:00Z' }] });
    assert.equal(await lastReset(), begun);
  });
}

it('people are not told again what they know of the count that runs', async (t) => {
  const world = await limitedWorld(t);
  const { control } = world;
  world.peer.always({ body: chatReply(5, 5) });
  const { id, key } = await world.key();
  const change = (body: JsonObject) => control.ok('PUT', `/v1/api-keys/${id}`, { body });
  const told = () => control.gateway.control?.store.db('limit_alerts').select('id', 'kind', 'period_start');
  const limits = { ...weekly, alert_threshold: 10 };
  await change({ usage_limits: [limits] });
  await change({ reset_usage: true });
  control.advance(5 * dayMs);
  await world.ask(key);
  await world.stored(`budget/key/${id}/tokens`, 10);
  await control.runJob('limits.alerts');
  const before = (await told()) as readonly JsonObject[];
  assert.deepEqual(
    before.map(({ kind, period_start }) => [kind, Number(period_start)]),
    [['threshold', begun]],
  );
  await change({ usage_limits: [{ ...limits, next_usage_reset_at: '2026-11-30T00:00:00Z' }] });
  assert.deepEqual(await told(), before);
  await change({ reset_usage: true });
  await world.ask(key);
  await world.ask(key);
  await world.stored(`budget/key/${id}/tokens`, 20);
  await control.runJob('limits.alerts');
  assert.equal((await told())?.length, 2, 'they are told of the next count');
});
