import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asArray, asObject, type JsonObject } from 'portcullis/sdk';
import { type CallOptions, startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const usageBody = {
  name: 'per person',
  conditions: [{ key: 'metadata._user', value: '*' }],
  group_by: [{ key: 'metadata._user' }],
  type: 'tokens',
  credit_limit: 1000,
};
const rateBody = {
  conditions: [{ key: 'endpoint_type', value: ['chatComplete', 'embed'] }],
  group_by: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 10,
};
const usagePath = '/v1/policies/usage-limits';
const ratePath = '/v1/policies/rate-limits';

onEachStore((_, _open, fresh) => {
  const closing: (() => unknown)[] = [];
  let control: TestControl;
  let workspaceId: string;
  before(async () => {
    control = await startControl({ after: (close) => closing.push(close as () => unknown) }, { store: await fresh() });
    workspaceId = String((await control.ok('POST', '/v1/workspaces', { body: { name: 'Limited' } })).id);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  const made = async (path: string, body: JsonObject) =>
    `${path}/${(await control.ok('POST', path, { body: { workspace_id: workspaceId, ...body } })).id}`;
  const refused = async (method: string, path: string, body: JsonObject, param: string, options: CallOptions = {}) => {
    const reply = await control.call(method, path, { body: { workspace_id: workspaceId, ...body }, ...options });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(asObject(reply.json.error)?.param, param, reply.text);
  };
  const counters = () => {
    const { counters: found } = control.gateway.control ?? {};
    assert.ok(found !== undefined);
    return found;
  };
  /** As a request does that has come to this. */
  const use = async (name: string, start: number, used: number) => {
    const claim = { name, start, end: undefined, limit: Number.MAX_SAFE_INTEGER, amount: used, durable: true };
    const reserved = await counters().reserve(control.organisationId, [claim]);
    assert.ok(reserved.granted);
    reserved.reservation.commit([used]);
    for (let tries = 0; tries < 500; tries += 1) {
      const { total } = await counters().list(control.organisationId, name, start, 1, 0);
      if (total > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  describe('a usage limits policy', () => {
    it('reads as it was made, with what follows from it', async () => {
      const path = await made(usagePath, { ...usageBody, periodic_reset: 'weekly', alert_threshold: 900 });
      const shown = await control.ok('GET', path.replace('/v1/', '/v2/'));
      const { id, created_at, last_updated_at, created_by, ...rest } = shown;
      assert.deepEqual(rest, {
        ...usageBody,
        organisation_id: control.organisationId,
        workspace_id: workspaceId,
        status: 'active',
        description: null,
        alert_threshold: 900,
        periodic_reset: 'weekly',
        periodic_reset_days: null,
        next_usage_reset_at: '2026-11-23T00:00:00.000Z',
        last_reset_at: null,
        target: 'llm',
        object: 'policy_usage_limits',
      });
    });

    it('is not born archived, nor is one of rates: it would limit nothing', async () => {
      for (const [path, body] of [
        [usagePath, usageBody],
        [ratePath, rateBody],
      ] as const) {
        await refused('POST', path, { ...body, status: 'archived' }, 'status');
        assert.match(await made(path, { ...body, status: 'active' }), /policies/);
      }
    });

    it('tells its last reset once a period has passed', async () => {
      const path = await made(usagePath, {
        ...usageBody,
        periodic_reset_days: 7,
        next_usage_reset_at: '2026-11-20T15:00:00Z',
      });
      const { last_reset_at, next_usage_reset_at } = await control.ok('GET', path);
      assert.equal(next_usage_reset_at, '2026-11-27T00:00:00.000Z');
      assert.equal(last_reset_at, null);
      const id = path.split('/').at(-1);
      await control.gateway.control?.store
        .db('usage_limit_policies')
        .where({ id })
        .update({ created_at: Date.UTC(2026, 9, 1) });
      assert.equal((await control.ok('GET', path)).last_reset_at, Date.UTC(2026, 10, 20) / 1000);
    });

    const faults: readonly (readonly [string, JsonObject, string])[] = [
      ['a budget that is too small', { credit_limit: 99 }, 'credit_limit'],
      ['half a token', { credit_limit: 100.5 }, 'credit_limit'],
      ['more dollars than a count can reach', { type: 'cost', credit_limit: 9_000_000.5 }, 'credit_limit'],
      ['more tokens than that', { credit_limit: 9_000_000_000_000_001 }, 'credit_limit'],
      ['a threshold at the limit', { alert_threshold: 1000 }, 'alert_threshold'],
      ['a threshold of nothing', { alert_threshold: 0 }, 'alert_threshold'],
      ['both kinds of reset', { periodic_reset: 'weekly', periodic_reset_days: 3 }, 'periodic_reset_days'],
      ['more days than a year has', { periodic_reset_days: 366 }, 'periodic_reset_days'],
      ['an unknown type', { type: 'words' }, 'type'],
      ['no condition', { conditions: [] }, 'conditions'],
      ['no group', { group_by: [] }, 'group_by'],
      ['an unknown group', { group_by: [{ key: 'colour' }] }, 'group_by[0].key'],
      ['limits of tools', { target: 'mcp_tools' }, 'target'],
    ];
    for (const [name, body, param] of faults)
      it(`refuses ${name}`, () => refused('POST', usagePath, { ...usageBody, ...body }, param));

    it('takes parts of dollars, for costs alone', async () => {
      const path = await made(usagePath, { ...usageBody, type: 'cost', credit_limit: 1.5, alert_threshold: 0.25 });
      assert.equal((await control.ok('GET', path)).credit_limit, 1.5);
    });

    it('changes in all but its type and groups', async () => {
      const path = await made(usagePath, { ...usageBody, periodic_reset: 'monthly' });
      const conditions = [{ key: 'provider', value: 'openai', excludes: ['azure'] }];
      const body = {
        name: 'new',
        conditions,
        credit_limit: 2000,
        periodic_reset_days: 5,
        type: 'tokens',
        group_by: usageBody.group_by,
      };
      await refused('PUT', path, { ...body, type: 'cost' }, 'type');
      await refused('PUT', path, { ...body, group_by: [{ key: 'model' }] }, 'group_by');
      assert.deepEqual(await control.ok('PUT', path.replace('/v1/', '/v2/'), { body }), {});
      const shown = await control.ok('GET', path);
      assert.deepEqual(shown.conditions, conditions);
      assert.deepEqual([shown.name, shown.credit_limit, shown.type], ['new', 2000, 'tokens']);
      assert.deepEqual([shown.periodic_reset, shown.periodic_reset_days], [null, 5]);
      assert.deepEqual(shown.group_by, usageBody.group_by);
      await refused('PUT', path, { credit_limit: 50 }, 'credit_limit');
      await refused('PUT', path, { alert_threshold: 2000 }, 'alert_threshold');
    });

    it('is archived when it is deleted, stays to be read, and works again when it is made active', async () => {
      const path = await made(usagePath, { ...usageBody, name: 'old' });
      const listed = async (query: string) =>
        asArray((await control.ok('GET', `${usagePath}?workspace_id=${workspaceId}&search=old${query}`)).data).length;
      assert.equal(await listed(''), 1);
      await control.ok('DELETE', path);
      assert.equal((await control.ok('GET', path)).status, 'archived');
      assert.deepEqual([await listed(''), await listed('&status=archived'), await listed('&type=cost')], [0, 1, 0]);
      assert.equal((await control.call('PUT', path, { body: { name: 'x' } })).status, 409);
      await control.ok('PUT', path, { body: { status: 'active' } });
      assert.equal(await listed(''), 1);
    });

    it('tells what it has counted, by value key, and sets one of them back', async () => {
      const path = await made(usagePath, usageBody);
      const prefix = `budget/policy/${path.split('/').at(-1)}/tokens`;
      await use(`${prefix}/metadata._user:alice`, 0, 1000);
      await use(`${prefix}/metadata._user:bob`, 0, 10);
      const entities = async (query = '') =>
        asArray((await control.ok('GET', `${path}/entities?${query}`)).data) as readonly JsonObject[];
      const keys = (list: readonly JsonObject[]) => list.map(({ value_key }) => value_key).sort();
      assert.deepEqual(keys(await entities()), ['metadata._user:alice', 'metadata._user:bob']);
      assert.deepEqual(keys(await entities('status=exhausted')), ['metadata._user:alice']);
      assert.deepEqual(keys(await entities('search=bob')), ['metadata._user:bob']);
      assert.equal((await entities('page_size=1&current_page=1')).length, 1);
      assert.equal((await control.call('GET', `${path}/entities?page_size=101`)).status, 400);
      const map = asObject((await control.ok('GET', `${path}?include_usage=true`)).value_key_usage_map);
      assert.deepEqual(map?.['metadata._user:alice'], {
        current_usage: 1000,
        status: 'exhausted',
        is_threshold_alerts_sent: false,
        is_exhausted_alerts_sent: false,
      });
      assert.equal((await control.ok('GET', path)).value_key_usage_map, undefined);
      const [alice] = await entities('search=alice');
      assert.deepEqual(await control.ok('PUT', `${path}/entities/${alice?.id}/reset`, { body: {} }), {});
      assert.deepEqual(await entities('status=exhausted'), []);
      assert.equal((await control.call('PUT', `${path}/entities/nobody/reset`, { body: {} })).status, 404);
    });

    it('has room again where a group was set back under a higher limit than the one that had refused it', async () => {
      const path = await made(usagePath, usageBody);
      const name = `budget/policy/${path.split('/').at(-1)}/tokens/metadata._user:alice`;
      await use(name, 0, 950);
      await use(`refused/1000/${name}`, 0, 1);
      const status = async () => {
        const map = asObject((await control.ok('GET', `${path}?include_usage=true`)).value_key_usage_map);
        return asObject(map?.['metadata._user:alice'])?.status;
      };
      assert.equal(await status(), 'exhausted');
      await control.ok('PUT', path, { body: { credit_limit: 5000 } });
      await control.ok('PUT', path, { body: { reset_usage_for_value: 'metadata._user:alice' } });
      await control.ok('PUT', path, { body: { credit_limit: 1000 } });
      assert.equal(await status(), 'active');
    });

    it('sets back a value key that a thousand others begin with, once more as well', async () => {
      const path = await made(usagePath, usageBody);
      const name = `budget/policy/${path.split('/').at(-1)}/tokens/metadata._user:1`;
      await use(name, 0, 1000);
      control.advance(1000);
      for (let other = 1000; other < 2000; other += 1)
        await counters().set(
          control.organisationId,
          { name: `${name}${other}`, start: 0, end: undefined, durable: true },
          1,
        );
      const reset = async (valueKey: string) => {
        const id = Buffer.from(valueKey).toString('base64url');
        return (await control.call('PUT', `${path}/entities/${id}/reset`, { body: {} })).status;
      };
      assert.equal(await reset('metadata._user:1'), 200);
      const [state] = await counters().read(control.organisationId, [{ name, start: 0, durable: true }]);
      assert.equal(state?.used, 0);
      assert.equal(await reset('metadata._user:1'), 200);
      assert.equal(await reset('metadata._user:10'), 404);
    });

    it('lets its alerts be sent again when the limit is raised, and that of the threshold when that is', async () => {
      const path = await made(usagePath, { ...usageBody, alert_threshold: 500 });
      await use(`budget/policy/${path.split('/').at(-1)}/tokens/metadata._user:alice`, 0, 1000);
      const flags = async () => {
        const map = asObject((await control.ok('GET', `${path}?include_usage=true`)).value_key_usage_map);
        const alice = asObject(map?.['metadata._user:alice']);
        return [alice?.is_threshold_alerts_sent, alice?.is_exhausted_alerts_sent];
      };
      assert.equal(await control.runJob('limits.alerts'), true);
      assert.deepEqual(await flags(), [true, true]);
      await control.ok('PUT', path, { body: { alert_threshold: 600 } });
      assert.deepEqual(await flags(), [false, true]);
      await control.runJob('limits.alerts');
      assert.deepEqual(await flags(), [true, true]);
      await control.ok('PUT', path, { body: { credit_limit: 5000 } });
      assert.deepEqual(await flags(), [false, false]);
      const { records } = await control.ok('GET', '/v1/audit-logs?action=usage_limit_exhausted');
      assert.ok(asArray(records).length >= 1, 'the audit log tells of it');
    });

    it('is not there for another organisation, and not to be made without the permission', async () => {
      const path = await made(usagePath, usageBody);
      assert.equal((await control.call('GET', path, { as: { organisationId: 'another' } })).status, 404);
      const as = { workspaceId, keyType: 'workspace-service' as const, scopes: ['policies.read'] };
      assert.equal((await control.call('POST', usagePath, { as, body: usageBody })).status, 403);
      assert.equal((await control.call('GET', path, { as })).status, 200);
      assert.equal((await control.call('PUT', `${path}/entities/x/reset`, { as, body: {} })).status, 403);
    });
  });

  describe('a rate limits policy', () => {
    it('reads as it was made, and changes in what may change', async () => {
      const path = await made(ratePath, rateBody);
      const body = { unit: 'rpw', value: 7, type: 'requests', conditions: [{ key: 'api_key', value: '*' }] };
      await refused('PUT', path, { ...body, type: 'tokens' }, 'type');
      await control.ok('PUT', path, { body });
      const { unit, value, type, conditions, object, name } = await control.ok('GET', path);
      assert.deepEqual([unit, value, type, object, name], ['rpw', 7, 'requests', 'policy_rate_limits', null]);
      assert.deepEqual(conditions, [{ key: 'api_key', value: '*' }]);
      const list = await control.ok('GET', `/v2/policies/rate-limits?workspace_id=${workspaceId}&unit=rpw`);
      assert.equal(list.total, 1);
    });

    for (const [name, body, param] of [
      ['a limit of 0', { value: 0 }, 'value'],
      ['a limit for each second', { unit: 'rps' }, 'unit'],
      ['a cost', { type: 'cost' }, 'type'],
      ['limits of tools', { target: 'mcp_tools' }, 'target'],
    ] as const)
      it(`refuses ${name}`, () => refused('POST', ratePath, { ...rateBody, ...body }, param));
  });

  it('what the data plane knows are the policies that hold', async () => {
    await made(ratePath, rateBody);
    await control.ok('POST', usagePath, { body: { ...usageBody, periodic_reset_days: 3 } });
    const entry = await control.gateway.control?.directory.get('limitPolicies', control.organisationId);
    const shared = entry?.policies.find(({ workspaceId: place }) => place === undefined);
    assert.equal(shared?.limit.next_usage_reset_at, '2026-11-24T00:00:00.000Z');
    assert.ok(entry?.policies.every(({ groupBy }) => groupBy.length > 0));
  });
});
