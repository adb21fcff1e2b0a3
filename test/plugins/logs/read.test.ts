import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allScopes, type JsonObject, type LogRow } from 'portcullis/sdk';
import type { TestCaller } from '../../support/control.ts';
import { everyLogStore } from './every-store.ts';
import { hour, type LogWorld, logWorld, minute, noon, refused } from './world.ts';

everyLogStore((open) => {
  describe('the log', () => {
    const closing: (() => unknown)[] = [];
    let world: LogWorld;
    let full: LogRow;
    let bare: LogRow;
    let foreign: LogRow;
    let streamed: LogRow;
    let silent: LogRow;

    before(async () => {
      const opened = await open();
      world = await logWorld({ after: (close) => void closing.push(close as () => unknown) }, opened);
      closing.unshift(opened.close);
      full = world.seed(
        {
          status: 200,
          metadata: { team: 'red', _user: 'ann' },
          user: 'ann',
          retries: 2,
          createdAt: noon - minute,
          configSlug: 'pc-a',
          configId: 'config-1',
          providerSlug: 'open-a',
        },
        {
          request: {
            headers: { 'x-gw-trace-id': 't', accept: '*/*' },
            body: Buffer.from('{"model":"gpt-a","messages":[]}'),
          },
          response: { headers: { 'content-type': 'text/event-stream' }, body: 'data: {}\n\n' },
          truncated: false,
        },
      );
      bare = world.seed({ status: 500, createdAt: noon - 2 * minute, keyId: 'key-2', costNanoUsd: null });
      foreign = world.seed({ workspaceId: 'another', createdAt: noon - 3 * minute });
      const long = { stream: true, createdAt: noon - 1000 * hour };
      const timings = { ...full.timings, upstream: 400 };
      streamed = world.seed({ ...long, durationMs: 30_000, timings: { ...timings, firstByte: 407 } });
      silent = world.seed({ ...long, durationMs: 500, timings: { ...timings, firstByte: undefined } });
      await opened.settled();
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    const get = (path: string, as: TestCaller = world.key) => world.control.ok('GET', path, { as });
    const role = (
      workspaceRole: 'admin' | 'manager' | 'member',
      scopes: readonly string[] = [...allScopes],
    ): TestCaller => ({
      userId: 'user-1',
      keyId: 'key-of-user',
      keyType: 'workspace-user',
      organisationRole: 'member',
      workspaceId: world.workspaceId,
      workspaceRole,
      scopes,
    });

    it('shows one request with what was said in it, and its numbers by their documented names', async () => {
      const log = await get(`/v1/logs/${full.id}?created_at=2026-11-21`);
      assert.equal(log._id, full.id);
      assert.deepEqual(log.request, {
        url: '/v1/chat/completions',
        method: 'POST',
        headers: { 'x-gw-trace-id': 't', accept: '*/*' },
        body: { model: 'gpt-a', messages: [] },
        portkeyHeaders: { 'x-gw-trace-id': 't' },
      });
      assert.deepEqual(log.response, {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: 'data: {}\n\n',
        responseTime: 100,
        lastUsedOptionJsonPath: 'config',
      });
      assert.equal(log.created_at, (noon - minute) / 1000);
      const metrics = log.metrics as JsonObject;
      const expected = {
        ai_org: 'openai',
        ai_model: 'gpt-a',
        req_units: 10,
        res_units: 5,
        total_units: 15,
        cost: 0.1,
        cost_currency: 'USD',
        response_status_code: 200,
        response_time: 100,
        is_success: true,
        is_proxy_call: false,
        stream_mode: false,
        retry_success_count: 2,
        config: 'pc-a',
        config_id: 'config-1',
        virtual_key: 'open-a',
        api_key_id: 'key-1',
        'metadata.key': ['team', '_user'],
        'metadata.value': ['red', 'ann'],
        request_parsing_time: 1,
        pre_processing_time: 2,
        upstream_response_time: 90,
        gateway_processing_time: 10,
        source: 'gateway',
      };
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(metrics[name], value, name);
      assert.match(String(metrics.workspace_slug), /^ws-/);
    });

    it('does not take the length of a stream for the time of the gateway', async () => {
      const timesOf = async ({ id }: LogRow) => {
        const { response_time, gateway_processing_time } = (await get(`/v1/logs/${id}`)).metrics as JsonObject;
        return [response_time, gateway_processing_time];
      };
      assert.deepEqual(await timesOf(streamed), [30_000, 7]);
      assert.deepEqual(await timesOf(silent), [500, 100]);
    });

    it('shows neither headers nor bodies where they were not kept', async () => {
      const log = await get(`/v1/logs/${bare.id}`);
      assert.deepEqual(log.request, { url: '/v1/chat/completions', method: 'POST' });
      assert.deepEqual(Object.keys(log.response as JsonObject).sort(), [
        'lastUsedOptionJsonPath',
        'responseTime',
        'status',
      ]);
      assert.equal((log.metrics as JsonObject).cost, null);
    });

    it('does not show requests of another workspace, or of nobody', async () => {
      for (const id of [foreign.id, 'nobody'])
        assert.deepEqual(await refused(world.control, 'GET', `/v1/logs/${id}`, { as: world.key }), [404, 'id']);
      assert.equal((await world.control.call('GET', `/v1/logs/${foreign.id}`)).status, 200, 'the organisation sees it');
    });

    it('shows the line alone to whoever may list logs and not look into them', async () => {
      const log = await get(`/v1/logs/${full.id}`, { ...world.key, scopes: ['logs.list'] });
      assert.equal('body' in (log.request as JsonObject), false);
      assert.equal((log.metrics as JsonObject).ai_model, 'gpt-a');
    });

    it('shows a request to a service that may send some, and to people only while their role may look at logs', async () => {
      for (const scope of ['completions.write', 'logs.write', 'logs.view'])
        assert.ok(
          'body' in ((await get(`/v1/logs/${full.id}`, { ...world.key, scopes: [scope] })).request as JsonObject),
        );
      const path = `/v1/logs/${full.id}`;
      await get(path, role('member', ['completions.write']));
      const toggles = (on: boolean) =>
        world.control.ok('PUT', '/v1/organisation', {
          body: { security_settings: { membersViewLogs: on, managersViewLogs: on } },
        });
      await toggles(false);
      for (const name of ['member', 'manager'] as const)
        assert.equal((await world.control.call('GET', path, { as: role(name, ['completions.write']) })).status, 403);
      await get(path, role('admin', ['completions.write']));
      await toggles(true);
    });

    it('lists requests, newest first, a page at a time, with the filters of analytics', async () => {
      const ids = async (query: string, as?: TestCaller) =>
        ((await get(`/v1/logs?${query}`, as)).data as JsonObject[]).map(({ id }) => id);
      assert.deepEqual(await ids(''), [full.id, bare.id]);
      assert.deepEqual(await ids('page_size=1&current_page=1'), [bare.id]);
      assert.equal((await get('/v1/logs?page_size=1')).total, 2);
      assert.deepEqual(await ids('status_code=500'), [bare.id]);
      assert.deepEqual(await ids('metadata=%7B%22team%22%3A%22red%22%7D'), [full.id]);
      assert.deepEqual(await ids('virtual_keys=@open-a&configs=pc-a&user=ann'), [full.id]);
      assert.deepEqual(await ids(`time_of_generation_max=${Math.floor((noon - 2 * minute) / 1000)}`), []);
      assert.deepEqual(await ids('', {}), [full.id, bare.id, foreign.id]);
      const [line] = (await get('/v1/logs?page_size=1')).data as JsonObject[];
      assert.deepEqual(Object.keys(line ?? {}).sort(), [
        'created_at',
        'id',
        'metrics',
        'object',
        'organisation_id',
        'trace_id',
        'workspace_id',
      ]);
      for (const size of ['5000', '0x10', '1e2', '%2B5', '%205', '5%20'])
        assert.deepEqual(
          await refused(world.control, 'GET', `/v1/logs?page_size=${size}`, { as: world.key }),
          [400, 'page_size'],
          size,
        );
    });

    it('shows people only the requests of their own keys where their role may not see all data', async () => {
      const path = `/v1/logs/${full.id}`;
      const toggle = (on: boolean) =>
        world.control.ok('PUT', '/v1/organisation', { body: { security_settings: { membersViewAllData: on } } });
      await toggle(false);
      assert.equal((await get('/v1/logs', role('member'))).total, 0);
      assert.equal((await world.control.call('GET', path, { as: role('member') })).status, 404);
      assert.equal((await get('/v1/logs', { ...role('member'), keyId: 'key-2' })).total, 1);
      assert.equal((await get('/v1/logs', role('manager'))).total, 2);
      await toggle(true);
      assert.equal((await get('/v1/logs', role('member'))).total, 2);
    });

    it('is a bounded stretch of time', async () => {
      const path = `/v1/logs?time_of_generation_min=0&time_of_generation_max=${(noon + hour) / 1000}`;
      assert.deepEqual(await refused(world.control, 'GET', path, { as: world.key }), [400, 'time_of_generation_min']);
      const future = `/v1/logs?time_of_generation_min=${new Date(noon + 400 * 24 * hour).toISOString()}`;
      const { json } = await world.control.call('GET', future, { as: world.key });
      assert.match(
        String((json as JsonObject).message),
        /^time_of_generation_min must not be later than now, where time_of_generation_max is left out\.$/,
      );
    });
  });
});
