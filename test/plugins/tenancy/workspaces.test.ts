import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { makeUser, makeWorkspace, onEachControl, person } from './tenant.ts';

const withCode = (status: number, param?: string) => (reply: { status: number; json: JsonObject }) => {
  assert.equal(reply.status, status, JSON.stringify(reply.json));
  if (param !== undefined) assert.equal(asObject(reply.json.error)?.param, param);
};
const named = (list: JsonObject) => (list.data as JsonObject[]).map(({ name }) => name);

onEachControl((control) => {
  describe('workspaces', () => {
    it('start with a default one that cannot be deleted', async () => {
      const { data } = await control().ok('GET', '/v1/admin/workspaces');
      const first = (data as JsonObject[]).find(({ is_default }) => is_default === 1);
      assert.match(String(first?.slug), /^ws-/);
      withCode(409)(await control().call('DELETE', `/v1/workspaces/${first?.id}`, { body: { force_delete: true } }));
    });

    it('are read by id and by slug, at every path', async () => {
      const { id, slug } = await makeWorkspace(control());
      for (const path of [`/v1/workspaces/${id}`, `/v2/workspaces/${slug}`, `/v1/admin/workspaces/${slug}`])
        assert.equal((await control().ok('GET', path)).id, id);
    });

    it('show their name with the icon, or plain', async () => {
      const { id, icon, name } = await makeWorkspace(control(), { name: '🚀Growth' });
      assert.deepEqual([icon, name], ['🚀', '🚀 Growth']);
      assert.equal((await control().ok('GET', `/v1/workspaces/${id}?name_format=plain`)).name, 'Growth');
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { name: 'Calm' } });
      assert.equal((await control().ok('GET', `/v1/workspaces/${id}`)).icon, null);
    });

    it('answer an update with nothing', async () => {
      const { id } = await makeWorkspace(control());
      assert.deepEqual(await control().ok('PUT', `/v2/workspaces/${id}`, { body: { description: 'Us' } }), {});
      assert.equal((await control().ok('GET', `/v1/workspaces/${id}`)).description, 'Us');
    });

    it('are found by a part of the name, in which case counts', async () => {
      await makeWorkspace(control(), { name: '🐘 Elephants' });
      assert.deepEqual(named(await control().ok('GET', '/v1/workspaces?name=leph')), ['🐘 Elephants']);
      assert.deepEqual(named(await control().ok('GET', `/v1/workspaces?name=${encodeURIComponent('🐘 Ele')}`)), [
        '🐘 Elephants',
      ]);
      assert.deepEqual(named(await control().ok('GET', '/v1/workspaces?name=LEPH')), []);
      assert.deepEqual(named(await control().ok('GET', '/v1/workspaces?name=%25')), []);
    });

    it('are found by the whole name', async () => {
      await makeWorkspace(control(), { name: 'Otters' });
      await makeWorkspace(control(), { name: 'Otters and others' });
      assert.deepEqual(named(await control().ok('GET', '/v1/workspaces?exact_name=Otters')), ['Otters']);
    });

    it('are not narrowed by a condition that says nothing', async () => {
      const total = async (query: string) => (await control().ok('GET', `/v1/workspaces?${query}`)).total;
      assert.equal(await total('name=&exact_name=&status='), await total(''));
    });

    it('come in pages that count from 0', async () => {
      for (const _ of '123') await makeWorkspace(control(), { name: 'Paged' });
      const page = (n: number) => control().ok('GET', `/v1/workspaces?exact_name=Paged&page_size=2&current_page=${n}`);
      const [first, second] = [await page(0), await page(1)];
      assert.deepEqual([first.total, named(first).length, named(second).length], [3, 2, 1]);
    });

    it('keep one budget and their rate limits, from an object or a list', async () => {
      const { id } = await makeWorkspace(control(), {
        usage_limits: { credit_limit: 10, alert_threshold: 5, periodic_reset: 'monthly' },
        rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      });
      const { usage_limits, rate_limits } = await control().ok('GET', `/v1/workspaces/${id}`);
      assert.equal((usage_limits as JsonObject[])[0]?.credit_limit, 10);
      assert.deepEqual(rate_limits, [{ type: 'requests', unit: 'rpm', value: 60 }]);
      const two = [{ credit_limit: 1 }, { credit_limit: 2 }];
      withCode(
        400,
        'usage_limits',
      )(await control().call('PUT', `/v1/workspaces/${id}`, { body: { usage_limits: two } }));
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { usage_limits: null } });
      assert.deepEqual((await control().ok('GET', `/v1/workspaces/${id}`)).usage_limits, []);
    });

    it('say when a budget is reset next, as the days from their creation give it', async () => {
      const { id } = await makeWorkspace(control(), { usage_limits: [{ credit_limit: 10, periodic_reset_days: 3 }] });
      const day = 86_400_000;
      const read = async () => (await control().ok('GET', `/v1/workspaces/${id}`)).usage_limits as JsonObject[];
      const [shown] = await read();
      assert.equal(shown?.next_usage_reset_at, new Date((Math.floor(control().now() / day) + 3) * day).toISOString());
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { usage_limits: shown === undefined ? [] : [shown] } });
      assert.deepEqual(await read(), [shown], 'what was read may be sent back');
    });

    it('say when their usage was last reset', async () => {
      const { id, last_reset_at } = await makeWorkspace(control());
      assert.equal(last_reset_at, null);
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { reset_usage: true } });
      assert.equal(typeof (await control().ok('GET', `/v1/workspaces/${id}`)).last_reset_at, 'number');
    });

    it('keep the defaults that an update does not name', async () => {
      const { id } = await makeWorkspace(control(), { defaults: { metadata: { a: 'b' } } });
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { defaults: { output_guardrails: [] } } });
      assert.deepEqual((await control().ok('GET', `/v1/workspaces/${id}`)).defaults, {
        metadata: { a: 'b' },
        input_guardrails: [],
        output_guardrails: [],
        user_api_key_config: null,
        config_id: null,
        is_default: 0,
        object: 'workspace',
      });
    });

    it('take metadata of strings of at most 128 characters alone', async () => {
      for (const metadata of [{ a: 'x'.repeat(129) }, { a: 1 }, { a: null }]) {
        const reply = await control().call('POST', '/v1/workspaces', { body: { name: 'Bad', defaults: { metadata } } });
        withCode(400, 'defaults.metadata.a')(reply);
      }
    });

    it('have no config to name while they are being made', async () =>
      withCode(
        400,
        'defaults.user_api_key_config',
      )(
        await control().call('POST', '/v1/workspaces', {
          body: { name: 'X', defaults: { user_api_key_config: 'pc-x' } },
        }),
      ));

    it('take people with them when they are made', async () => {
      const { id: userId } = await makeUser(control());
      const { id } = await makeWorkspace(control(), { users: [String(userId)] });
      const { users } = await control().ok('GET', `/v1/workspaces/${id}`);
      assert.deepEqual(
        (users as JsonObject[]).map((member) => [member.id, member.role]),
        [[userId, 'member']],
      );
    });

    it('are not made when one of these people does not exist', async () => {
      const body = { name: 'Never', users: ['nobody'] };
      withCode(404)(await control().call('POST', '/v1/workspaces', { body }));
      assert.equal((await control().ok('GET', '/v1/workspaces?exact_name=Never')).total, 0);
    });

    it('refuse a name of nothing, or of more than 255 characters', async () => {
      for (const name of ['', '   ', 'x'.repeat(256)])
        withCode(400, 'name')(await control().call('POST', '/v1/workspaces', { body: { name } }));
    });

    it('refuse a slug that is taken', async () => {
      await makeWorkspace(control(), { slug: 'ws-mine' });
      withCode(409)(await control().call('POST', '/v1/workspaces', { body: { name: 'Other', slug: 'ws-mine' } }));
    });

    it('ignore what they do not know', async () => {
      const { id } = await makeWorkspace(control(), { colour: 'red', workspace_id: 'x' });
      assert.ok(!('colour' in (await control().ok('GET', `/v1/workspaces/${id}`))));
    });
  });

  describe('the default workspace', () => {
    it('moves to the workspace that is made the default', async () => {
      const before = await control().ok('GET', '/v1/organisation');
      const { id } = await makeWorkspace(control());
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { is_default: 1 } });
      assert.equal((await control().ok('GET', '/v1/organisation')).default_workspace_id, id);
      assert.equal((await control().ok('GET', `/v1/workspaces/${before.default_workspace_id}`)).is_default, 0);
      withCode(400, 'is_default')(await control().call('PUT', `/v1/workspaces/${id}`, { body: { is_default: 0 } }));
    });

    it('is not chosen by those who run one workspace', async () => {
      const { id } = await makeWorkspace(control());
      const as = { scopes: ['workspaces.update'], workspaceId: String(id), keyType: 'workspace-service' as const };
      withCode(403, 'is_default')(await control().call('PUT', `/v1/workspaces/${id}`, { as, body: { is_default: 1 } }));
    });
  });

  describe('removing a workspace', () => {
    it('archives it and frees its slug', async () => {
      const { id } = await makeWorkspace(control(), { slug: 'ws-gone' });
      assert.deepEqual(await control().ok('DELETE', `/v1/workspaces/${id}`), {});
      assert.equal((await control().ok('GET', `/v1/workspaces/${id}`)).status, 'archived');
      await makeWorkspace(control(), { slug: 'ws-gone' });
    });

    it('checks the name where one is given, but for spaces and emoji', async () => {
      const { id } = await makeWorkspace(control(), { name: '🚀 My team' });
      withCode(400, 'name')(await control().call('DELETE', `/v1/workspaces/${id}`, { body: { name: 'Your team' } }));
      await control().ok('DELETE', `/v1/workspaces/${id}`, { body: { name: 'My\u00a0team', force_delete: true } });
    });

    it('takes the memberships with it', async () => {
      const { id: userId } = await makeUser(control());
      const { id } = await makeWorkspace(control(), { users: [String(userId)] });
      await control().ok('DELETE', `/v1/workspaces/${id}`);
      assert.deepEqual((await control().ok('GET', `/v1/users/${userId}`)).workspace_ids, []);
    });

    it('leaves something that can neither be changed nor removed again', async () => {
      const { id } = await makeWorkspace(control());
      await control().ok('DELETE', `/v1/workspaces/${id}`);
      withCode(409)(await control().call('PUT', `/v1/workspaces/${id}`, { body: { name: 'Back' } }));
      withCode(409)(await control().call('DELETE', `/v1/workspaces/${id}`));
    });
  });

  describe('who sees which workspace', () => {
    it('lists archived ones where they are asked for', async () => {
      const { id } = await makeWorkspace(control(), { name: 'Old' });
      await control().ok('DELETE', `/v1/workspaces/${id}`);
      const total = async (query: string) => (await control().ok('GET', `/v1/workspaces?exact_name=Old${query}`)).total;
      assert.deepEqual(
        [await total(''), await total('&status=archived'), await total('&status=active,archived')],
        [0, 1, 1],
      );
      withCode(400, 'status')(await control().call('GET', '/v1/workspaces?status=asleep'));
    });

    it('lists archived ones to owners and admins of the organisation alone', async () => {
      const list = (as: object) => control().call('GET', '/v1/workspaces?status=archived', { as: person(as) });
      for (const organisationRole of ['owner', 'admin'] as const) withCode(200)(await list({ organisationRole }));
      withCode(403, 'status')(await list({ organisationRole: 'member' }));
      withCode(403, 'status')(await list({ userId: undefined, workspaceId: 'w', keyType: 'workspace-service' }));
    });

    it('gives members their own, and none of the others', async () => {
      const { id: userId } = await makeUser(control());
      const mine = await makeWorkspace(control(), { users: [String(userId)] });
      const other = await makeWorkspace(control());
      const as = person({ userId: String(userId) });
      const { data } = await control().ok('GET', '/v1/workspaces', { as });
      assert.deepEqual(
        (data as JsonObject[]).map(({ id }) => id),
        [mine.id],
      );
      withCode(404)(await control().call('GET', `/v1/workspaces/${other.id}`, { as }));
    });

    it('gives a key of a workspace its own alone', async () => {
      const mine = await makeWorkspace(control());
      const other = await makeWorkspace(control());
      const as = { scopes: ['workspaces.list', 'workspaces.read'], workspaceId: String(mine.id) };
      const { data } = await control().ok('GET', '/v1/workspaces', { as });
      assert.deepEqual(
        (data as JsonObject[]).map(({ id }) => id),
        [mine.id],
      );
      await control().ok('GET', `/v1/workspaces/${mine.slug}`, { as });
      withCode(404)(await control().call('GET', `/v1/workspaces/${other.id}`, { as }));
    });

    it('hides those of other organisations', async () => {
      const { id } = await makeWorkspace(control());
      const as = { organisationId: 'another' };
      assert.notEqual((await control().call('GET', `/v1/workspaces/${id}`, { as })).status, 200);
    });

    for (const [method, permission] of [
      ['GET', 'workspaces.read'],
      ['PUT', 'workspaces.update'],
      ['DELETE', 'workspaces.delete'],
    ] as const) {
      it(`needs ${permission} to ${method} one`, async () => {
        const { id } = await makeWorkspace(control());
        const options = method === 'GET' ? {} : { body: { name: 'Team' } };
        withCode(403)(
          await control().call(method, `/v1/workspaces/${id}`, { ...options, as: { scopes: ['workspaces.list'] } }),
        );
        await control().ok(method, `/v1/workspaces/${id}`, { ...options, as: { scopes: [permission] } });
      });
    }
  });

  describe('the settings of a workspace', () => {
    const override = (overrides: JsonObject) => control().ok('PUT', '/v1/organisation', { body: { overrides } });

    it('are not changed while the organisation keeps them', async () => {
      const { id } = await makeWorkspace(control());
      const reply = await control().call('PUT', `/v1/workspaces/${id}`, {
        body: { security_settings: { managersUpdateWs: false } },
      });
      withCode(403, 'security_settings')(reply);
    });

    it('may be sent back as they were read', async () => {
      const { id, settings, security_settings, data_plane_security_settings, defaults } = await makeWorkspace(
        control(),
      );
      const body = { settings, security_settings, data_plane_security_settings, defaults } as JsonObject;
      await control().ok('PUT', `/v1/workspaces/${id}`, { body });
    });

    it('are not pinned by being sent back', async () => {
      const { id, security_settings } = await makeWorkspace(control());
      await override({ data_visibility: true });
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { security_settings } as JsonObject });
      await control().ok('PUT', '/v1/organisation', { body: { security_settings: { membersViewAllData: false } } });
      const { security_settings: after } = await control().ok('GET', `/v1/workspaces/${id}`);
      assert.equal(asObject(after)?.membersViewAllData, false);
      await override({ data_visibility: false });
    });

    it("start from the organisation's when a section is opened", async () => {
      const { id } = await makeWorkspace(control());
      await control().ok('PUT', '/v1/organisation', { body: { settings: { user_api_key_count: 7 } } });
      await override({ user_api_key_settings: true });
      await control().ok('PUT', '/v1/organisation', { body: { settings: { user_api_key_count: 9 } } });
      const count = async () =>
        asObject((await control().ok('GET', `/v1/workspaces/${id}`)).settings)?.user_api_key_count;
      assert.equal(await count(), 7);
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { settings: { user_api_key_count: 2 } } });
      assert.equal(await count(), 2);
      await override({ user_api_key_settings: false });
      assert.equal(await count(), 9);
    });

    it('are taken by their alias, and under security follow the organisation until they are set', async () => {
      const { id } = await makeWorkspace(control());
      await override({ data_plane_security_settings: true });
      const blocked = async () =>
        asObject((await control().ok('GET', `/v1/workspaces/${id}`)).data_plane_security_settings)?.block_inline_config;
      await control().ok('PUT', '/v1/organisation', { body: { block_inline_config: true } });
      assert.equal(await blocked(), true);
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { block_inline_config: false } });
      assert.equal(await blocked(), false);
      await override({ data_plane_security_settings: false });
      assert.equal(await blocked(), true);
      await control().ok('PUT', '/v1/organisation', { body: { block_inline_config: false } });
    });

    it('are not for managers to change, who may change the rest', async () => {
      await override({ log_settings: true });
      const { id } = await makeWorkspace(control());
      const as = person({ workspaceRole: 'manager' });
      const put = (body: JsonObject) => control().call('PUT', `/v1/workspaces/${id}`, { as, body });
      for (const body of [
        { settings: { debug_log: 0 } },
        { usage_limits: [{ type: 'cost', credit_limit: 100_000 }] },
        { rate_limits: [] },
        { reset_usage: true },
      ])
        withCode(403)(await put(body));
      withCode(200)(await put({ description: 'By a manager' }));
      withCode(200)(
        await control().call('PUT', `/v1/workspaces/${id}`, {
          as: person({ workspaceRole: 'admin' }),
          body: { settings: { debug_log: 0 } },
        }),
      );
    });

    it('have no names beyond those known', async () => {
      const { id } = await makeWorkspace(control());
      const put = (body: JsonObject) => control().call('PUT', `/v1/workspaces/${id}`, { body });
      withCode(400, 'security_settings.membersFly')(await put({ security_settings: { membersFly: true } }));
      withCode(400, 'settings.wings')(await put({ settings: { wings: 2 } }));
      withCode(
        400,
        'settings.default_workspace_user_api_key_auto_create',
      )(await put({ settings: { default_workspace_user_api_key_auto_create: true } }));
    });
  });

  describe('metadata of workspaces under a schema', () => {
    it('is held against it when it is written, and filled with its defaults', async () => {
      const old = await makeWorkspace(control());
      const workspace = {
        type: 'object',
        properties: { team: { type: 'string' }, tier: { type: 'string', default: 'free' } },
        required: ['team'],
      };
      await control().ok('PUT', '/v1/organisation', { body: { metadata_schemas: { workspace } } });
      const make = (metadata: JsonObject) =>
        control().call('POST', '/v1/workspaces', { body: { name: 'Schema', defaults: { metadata } } });
      withCode(400, 'defaults.metadata.team')(await make({}));
      const made = await make({ team: 'red' });
      assert.deepEqual(asObject(made.json.defaults)?.metadata, { team: 'red', tier: 'free' });
      await control().ok('PUT', `/v1/workspaces/${old.id}`, { body: { description: 'Untouched' } });
      await control().ok('PUT', '/v1/organisation', { body: { metadata_schemas: { workspace: null } } });
      assert.equal((await make({})).status, 200);
    });
  });
});
