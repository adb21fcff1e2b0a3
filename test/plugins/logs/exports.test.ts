import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { allScopes, type JsonObject, type LogSinks, type LogStore } from 'portcullis/sdk';
import type { TestCaller } from '../../support/control.ts';
import { embeddedLogs } from './every-store.ts';
import { memoryLogs } from './memory-logs.ts';
import { hour, logWorld, minute, noon, refused } from './world.ts';

async function exporter(t: TestContext, logs: LogStore & LogSinks = memoryLogs()) {
  const world = await logWorld(t, { logs });
  const { control, key } = world;
  const ok = (method: string, path: string, body?: JsonObject, as: TestCaller = key) =>
    control.ok(method, `/v1/logs/exports${path}`, { as, ...(body === undefined ? {} : { body }) });
  const make = async (body: JsonObject = {}, as: TestCaller = key) =>
    ok('POST', '', { filters: {}, requested_data: ['id', 'cost', 'created_at'], ...body }, as);
  const ended = async (id: unknown) => {
    for (;;) {
      const found = await ok('GET', `/${id}`);
      if (found.status !== 'in_progress') return found;
      await sleep(5);
    }
  };
  const linesOf = async (id: unknown) => {
    const { signed_url: signed } = await ok('GET', `/${id}/download`);
    const url = new URL(String(signed));
    const reply = await fetch(control.url + url.pathname + url.search);
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get('content-type') ?? '', /ndjson/);
    const lines = (await reply.text()).trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JsonObject);
  };
  return { ...world, ok, make, ended, linesOf };
}

/** A store whose lists wait until they are let go. */
function heldLogs() {
  const logs = memoryLogs();
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return {
    letGo: () => letGo(),
    logs: {
      ...logs,
      list: async (...[filter, page]: Parameters<LogStore['list']>) => {
        if (page.limit > 1) await held;
        return logs.list(filter, page);
      },
    },
  };
}

/** A manager of the workspace. */
const callerOf = (userId: string, workspaceId: string): TestCaller => ({
  userId,
  keyId: `key-of-${userId}`,
  organisationRole: 'member',
  workspaceId,
  workspaceRole: 'manager',
  scopes: [...allScopes],
});

describe('an export of logs', () => {
  it('is drafted, started, awaited and downloaded', async (t) => {
    const { seed, make, ok, ended, linesOf, workspaceId, control } = await exporter(t);
    const rows = [1, 2, 3].map((age) => seed({ createdAt: noon - age * minute, status: age === 3 ? 500 : 200 }));
    seed({ createdAt: noon - minute, workspaceId: 'another' });
    const made = await make({ filters: { status_code: '200' }, description: 'Good ones' });
    assert.deepEqual(made, { id: made.id, total: 2, object: 'export' });
    const draft = await ok('GET', `/${made.id}`);
    assert.deepEqual(
      { ...draft, id: '', created_at: 0, last_updated_at: 0 },
      {
        id: '',
        organisation_id: control.organisationId,
        workspace_id: workspaceId,
        filters: { status_code: '200' },
        requested_data: ['id', 'cost', 'created_at'],
        status: 'draft',
        description: 'Good ones',
        created_at: 0,
        last_updated_at: 0,
        created_by: 'key-1',
        total_records: null,
        failure: null,
        object: 'export',
      },
    );
    assert.equal((await ok('POST', `/${made.id}/start`)).object, 'export');
    const done = await ended(made.id);
    assert.deepEqual([done.status, done.total_records], ['success', 2]);
    assert.deepEqual(
      await linesOf(made.id),
      rows.slice(0, 2).map(({ id, createdAt }) => ({ id, cost: 0.1, created_at: createdAt / 1000 })),
    );
    const { data, total } = await ok('GET', '');
    assert.deepEqual([total, (data as JsonObject[])[0]?.id], [1, made.id]);
  });

  it('is of one workspace, whatever its filters name: they may name that one alone', async (t) => {
    const { seed, make, ok, key, control, workspaceId } = await exporter(t);
    seed({ createdAt: noon - minute });
    const { slug } = await control.ok('GET', `/v1/workspaces/${workspaceId}`);
    const other = await control.ok('POST', '/v1/workspaces', { body: { name: 'Other' } });
    for (const named of [slug, workspaceId, '', null])
      assert.equal((await make({ filters: { workspace_slug: named ?? null } })).total, 1);
    const { id } = await make();
    for (const [as, more] of [
      [key, {}],
      [{}, { workspace_id: workspaceId }],
    ] as const)
      for (const named of [other.slug, 'no-such', 5]) {
        const body = { ...more, filters: { workspace_slug: named ?? null }, requested_data: ['id'] };
        const wrong = [400, 'filters.workspace_slug'];
        assert.deepEqual(await refused(control, 'POST', '/v1/logs/exports', { as, body }), wrong);
        assert.deepEqual(await refused(control, 'PUT', `/v1/logs/exports/${id}`, { as, body }), wrong);
      }
    assert.deepEqual((await ok('GET', `/${id}`)).filters, {});
  });

  it('is refused where it is to be filtered by what is no filter, rather than of all requests', async (t) => {
    const { make, control, key } = await exporter(t);
    for (const name of ['status', 'model', 'all']) {
      const body = { filters: { [name]: 'x' }, requested_data: ['id'] };
      assert.deepEqual(await refused(control, 'POST', '/v1/logs/exports', { as: key, body }), [400, `filters.${name}`]);
    }
    assert.equal((await make({ filters: { organisation_id: control.organisationId } })).total, 0);
  });

  it('holds what was said, where it is asked for and the caller may see it', async (t) => {
    const { seed, make, ok, ended, linesOf, key } = await exporter(t);
    const side = { headers: { accept: '*/*' }, body: Buffer.from('{"a":1}') };
    seed({}, { request: side, response: { headers: {}, body: 'text' }, truncated: false });
    const { id } = await make({ requested_data: ['request', 'response', 'metadata'] });
    await ok('POST', `/${id}/start`);
    await ended(id);
    assert.deepEqual(await linesOf(id), [
      {
        request: { headers: { accept: '*/*' }, body: { a: 1 } },
        response: { headers: {}, body: 'text' },
        metadata: {},
      },
    ]);
    const blind: TestCaller = { ...key, scopes: ['logs.export'] };
    await assert.rejects(make({ requested_data: ['id', 'request'] }, blind), /403/);
    const restrictions = await ok('GET', '/field-restrictions', undefined, blind);
    assert.deepEqual(restrictions.deniedFields, ['request', 'response']);
    assert.deepEqual((await ok('GET', '/field-restrictions')).deniedFields, []);
  });

  it('that holds what was said is given to nobody who may not see that', async (t) => {
    const { seed, make, ok, ended, control, key } = await exporter(t);
    const side = { headers: {}, body: 'a secret' };
    seed({}, { request: side, response: side, truncated: false });
    const [texts, lines] = [await make({ requested_data: ['request'] }), await make()];
    for (const { id } of [texts, lines]) {
      await ok('POST', `/${id}/start`);
      assert.equal((await ended(id)).status, 'success');
    }
    const other = { ...key, keyId: 'key-2', scopes: [...allScopes].filter((scope) => scope !== 'logs.view') };
    const download = (id: unknown) => control.call('GET', `/v1/logs/exports/${id}/download`, { as: other });
    assert.equal((await download(lines.id)).status, 200);
    assert.deepEqual(await refused(control, 'GET', `/v1/logs/exports/${texts.id}/download`, { as: other }), [
      403,
      'requested_data',
    ]);
  });

  it('writes each request once, newest first, however many pages it takes and however many share a moment', async (t) => {
    const opened = await embeddedLogs();
    t.after(opened.close);
    const { seed, make, ok, ended, linesOf } = await exporter(t, opened.logs);
    // More than two pages; 1,500 of one moment, which is more than a page.
    const ages = [...Array(700).keys()].map((n) => 1000 + n);
    for (let n = 0; n < 1500; n += 1) ages.push(5000);
    for (let n = 0; n < 500; n += 1) ages.push(6000 + (n >> 2));
    const ids = new Set(ages.map((age) => seed({ createdAt: noon - age }).id));
    await opened.settled();
    const { id, total } = await make();
    assert.equal(total, 2700);
    await ok('POST', `/${id}/start`);
    assert.equal((await ended(id)).total_records, 2700);
    const lines = await linesOf(id);
    assert.deepEqual(new Set(lines.map((line) => line.id)), ids);
    assert.equal(lines.length, 2700);
    const times = lines.map((line) => Number(line.created_at));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    const page = await make({ filters: { page_size: 100, current_page: 8 } });
    assert.equal(page.total, 100);
    await ok('POST', `/${page.id}/start`);
    await ended(page.id);
    assert.deepEqual(
      (await linesOf(page.id)).map((line) => line.id),
      lines.slice(800, 900).map((line) => line.id),
    );
  });

  it('keeps its description until another one, or none, is given', async (t) => {
    const { make, ok } = await exporter(t);
    const { id } = await make({ description: 'Good ones' });
    const after = async (body: JsonObject) => {
      await ok('PUT', `/${id}`, body);
      return (await ok('GET', `/${id}`)).description;
    };
    assert.equal(await after({ requested_data: ['id'] }), 'Good ones');
    assert.equal(await after({ description: 'Others' }), 'Others');
    assert.equal(await after({ description: null }), null);
  });

  it('can be changed and started as a draft alone, and cancelled until it has ended', async (t) => {
    const { logs, letGo } = heldLogs();
    const { control, key, seed, make, ok, ended, folder } = await exporter(t, logs);
    seed();
    const { id } = await make();
    assert.equal((await ok('PUT', `/${id}`, { requested_data: ['id'], filters: { status_code: 500 } })).total, 0);
    assert.deepEqual((await ok('GET', `/${id}`)).requested_data, ['id']);
    const at = (rest: string) => `/v1/logs/exports/${id}${rest}`;
    assert.deepEqual(await refused(control, 'GET', at('/download'), { as: key }), [409, 'status']);
    await ok('POST', `/${id}/start`);
    assert.equal((await ok('GET', `/${id}`)).status, 'in_progress');
    assert.deepEqual(await refused(control, 'PUT', at(''), { as: key, body: { description: 'x' } }), [409, 'status']);
    assert.deepEqual(await refused(control, 'POST', at('/start'), { as: key, body: {} }), [409, 'status']);
    await ok('POST', `/${id}/cancel`);
    letGo();
    assert.equal((await ended(id)).status, 'stopped');
    assert.deepEqual(await refused(control, 'POST', at('/cancel'), { as: key, body: {} }), [409, 'status']);
    assert.deepEqual(await refused(control, 'GET', at('/download'), { as: key }), [409, 'status']);
    await control.runJob('logs.exports');
    assert.equal((await ok('GET', `/${id}`)).status, 'stopped');
    assert.deepEqual(
      readdirSync(join(folder, 'exports')).filter((name) => name.endsWith('.jsonl')),
      [],
    );
  });

  it('fails with a reason when the logs cannot be read', async (t) => {
    const logs = memoryLogs();
    const broken: LogStore & LogSinks = {
      ...logs,
      list: async (filter, page) => (page.limit === 1 ? logs.list(filter, page) : assert.fail('away')),
    };
    const { make, ok, ended } = await exporter(t, broken);
    const { id } = await make();
    await ok('POST', `/${id}/start`);
    const { status, failure } = await ended(id);
    assert.deepEqual([status, failure], ['failed', 'The export could not be written.']);
  });

  it('is taken up again when the process that was at it is gone', async (t) => {
    const { control, seed, make, ok, linesOf } = await exporter(t);
    seed();
    const { id } = await make();
    const store = control.gateway.control?.store ?? assert.fail();
    const dead = { status: 'in_progress', started_at: control.now(), lease_until: control.now() + minute };
    await store
      .db('log_exports')
      .where({ id: String(id) })
      .update(dead);
    await control.runJob('logs.exports');
    assert.equal((await ok('GET', `/${id}`)).status, 'in_progress', 'its lease still holds');
    control.advance(2 * minute);
    await control.runJob('logs.exports');
    assert.equal((await ok('GET', `/${id}`)).status, 'success');
    assert.equal((await linesOf(id)).length, 1);
  });

  it('is written on by who has taken it up, whatever becomes of the one that was too slow', async (t) => {
    const logs = memoryLogs();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let asked = 0;
    const slow: LogStore & LogSinks = {
      ...logs,
      list: async (filter, page) => {
        if (page.limit === 1) return logs.list(filter, page);
        asked += 1;
        const isFirst = asked === 1;
        await gates[isFirst ? 0 : 1].promise;
        return isFirst ? assert.fail('too slow') : logs.list(filter, page);
      },
    };
    const { control, seed, make, ok, ended, linesOf } = await exporter(t, slow);
    seed();
    const { id } = await make();
    await ok('POST', `/${id}/start`);
    await t.waitFor(() => assert.equal(asked, 1));
    control.advance(2 * minute);
    const other = control.runJob('logs.exports');
    await t.waitFor(() => assert.equal(asked, 2));
    gates[0].resolve();
    await t.waitFor(() => assert.ok(control.log.some(({ event }) => event === 'log_export_failed')));
    await sleep(50);
    gates[1].resolve();
    await other;
    assert.equal((await ended(id)).status, 'success');
    assert.equal((await linesOf(id)).length, 1);
  });

  it('has an address that cannot be made up, moved or kept', async (t) => {
    const { control, make, ok, ended } = await exporter(t);
    const [one, other] = [await make(), await make()];
    for (const { id } of [one, other]) {
      await ok('POST', `/${id}/start`);
      await ended(id);
    }
    const url = new URL(String((await ok('GET', `/${one.id}/download`)).signed_url));
    const get = async (path: string, query: URLSearchParams | string) =>
      (await fetch(`${control.url}${path}?${query}`)).status;
    assert.equal(await get(url.pathname, url.searchParams), 200);
    assert.equal(await get(url.pathname, ''), 403);
    assert.equal(await get(url.pathname.replace(String(one.id), String(other.id)), url.searchParams), 403);
    const later = new URLSearchParams(url.searchParams);
    later.set('expires', String(Number(later.get('expires')) + 1));
    assert.equal(await get(url.pathname, later), 403);
    control.advance(16 * minute);
    assert.equal(await get(url.pathname, url.searchParams), 403);
  });

  it('has its file for a week', async (t) => {
    const { control, make, ok, ended, folder } = await exporter(t);
    const { id } = await make();
    await ok('POST', `/${id}/start`);
    await ended(id);
    control.advance(8 * 24 * hour + (Date.now() - control.now() > 0 ? Date.now() - control.now() : 0));
    await control.runJob('logs.exports');
    assert.deepEqual(readdirSync(join(folder, 'exports')), []);
    const url = new URL(String((await ok('GET', `/${id}/download`)).signed_url));
    assert.equal((await fetch(control.url + url.pathname + url.search)).status, 404);
  });

  it('is seen by its own user alone, where a key of a user asks', async (t) => {
    const { make, ok, control, workspaceId } = await exporter(t);
    const user = (userId: string, workspaceRole: 'manager' | 'admin' = 'manager'): TestCaller => ({
      ...callerOf(userId, workspaceId),
      keyType: 'workspace-user',
      workspaceRole,
    });
    const { id } = await make({}, user('ann'));
    assert.equal((await ok('GET', `/${id}`, undefined, user('ann'))).created_by, 'ann');
    assert.equal((await ok('GET', '', undefined, user('bob'))).total, 0);
    for (const [method, rest] of [
      ['GET', ''],
      ['PUT', ''],
      ['POST', '/start'],
      ['POST', '/cancel'],
      ['GET', '/download'],
    ] as const)
      assert.equal(
        (
          await control.call(method, `/v1/logs/exports/${id}${rest}`, {
            as: user('bob', 'admin'),
            ...(method === 'GET' ? {} : { body: {} }),
          })
        ).status,
        404,
      );
    assert.equal((await ok('GET', '')).total, 1, 'a service sees those of its workspace');
  });

  it('holds only the requests of own keys for whoever may not see all data', async (t) => {
    const { make, ok, ended, control, workspaceId, seed } = await exporter(t);
    const ann = callerOf('ann', workspaceId);
    seed({ keyId: 'key-of-ann' });
    seed();
    await control.ok('PUT', '/v1/organisation', { body: { security_settings: { managersViewAllData: false } } });
    const { id, total } = await make({}, ann);
    assert.equal(total, 1);
    await ok('POST', `/${id}/start`, undefined, ann);
    assert.equal((await ended(id)).total_records, 1);
    assert.match(String((await ok('GET', `/${id}/download`, undefined, ann)).signed_url), /\/file\?/);
  });

  it('is not given to its maker with requests that the maker may not see', async (t) => {
    const { make, ok, ended, control, workspaceId, seed } = await exporter(t);
    const ann = callerOf('ann', workspaceId);
    seed({ keyId: 'key-of-ann' });
    seed();
    const download = (id: unknown) => control.call('GET', `/v1/logs/exports/${id}/download`, { as: ann });
    const { id: before } = await make({}, ann);
    await ok('POST', `/${before}/start`, undefined, ann);
    await ended(before);
    assert.equal((await download(before)).status, 200);
    await control.ok('PUT', '/v1/organisation', { body: { security_settings: { managersViewAllData: false } } });
    assert.equal((await download(before)).status, 403, 'made when she might still see all');
    const { id } = await make({}, ann);
    await ok('POST', `/${id}/start`);
    assert.equal((await ended(id)).total_records, 2, 'started by somebody who may see all');
    assert.equal((await download(id)).status, 403);
    assert.ok((await ok('GET', `/${id}/download`)).signed_url);
  });

  it('names what is wrong with its body', async (t) => {
    const { control, key } = await exporter(t);
    const filters = {};
    for (const [body, param] of [
      [{ requested_data: ['id'] }, 'filters'],
      [{ filters }, 'requested_data'],
      [{ filters, requested_data: [] }, 'requested_data'],
      [{ filters, requested_data: ['password'] }, 'requested_data'],
      [{ filters: { cost_min: 'much' }, requested_data: ['id'] }, 'filters.cost_min'],
      [{ filters: { page_size: 50_001 }, requested_data: ['id'] }, 'filters.page_size'],
      [{ filters: { page_size: '0x10' }, requested_data: ['id'] }, 'filters.page_size'],
      [{ filters: { cost_max: ' 1' }, requested_data: ['id'] }, 'filters.cost_max'],
      [{ filters: { trace_id: [null] }, requested_data: ['id'] }, 'filters.trace_id'],
      [{ filters: { api_key_ids: ['a', {}] }, requested_data: ['id'] }, 'filters.api_key_ids'],
      [{ filters: { ai_model: true }, requested_data: ['id'] }, 'filters.ai_model'],
      [{ filters: { time_of_generation_min: 'soon' }, requested_data: ['id'] }, 'filters.time_of_generation_min'],
    ] as const)
      assert.deepEqual(
        await refused(control, 'POST', '/v1/logs/exports', { as: key, body: body as unknown as JsonObject }),
        [400, param],
      );
    const reply = await refused(control, 'POST', '/v1/logs/exports', { body: { filters, requested_data: ['id'] } });
    assert.deepEqual(reply, [400, 'workspace_id']);
  });
});
