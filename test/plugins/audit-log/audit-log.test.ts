import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import { startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const plugins = ['audit-log', 'tenancy', 'secret-references', 'configs'];
const dayMs = 86_400_000;

async function entries(control: TestControl, query = ''): Promise<readonly JsonObject[]> {
  return asObjects((await control.ok('GET', `/v1/audit-logs${query}`)).records);
}

async function workspace(control: TestControl, name = 'Team'): Promise<string> {
  return String((await control.ok('POST', '/v1/admin/workspaces', { body: { name } })).id);
}

onEachStore((_, __, fresh) => {
  it('tells who did what, from where, with the body of the request', async (t) => {
    const control = await startControl(t, { plugins, store: await fresh() });
    await workspace(control, 'Shared');
    const [entry] = await entries(control, '?resource_type=workspaces&action=create');
    assert.equal(entry?.method, 'POST');
    assert.equal(entry?.uri, '/v1/admin/workspaces');
    assert.equal(entry?.response_status_code, 200);
    assert.equal(entry?.user_id, 'test-key');
    assert.equal(entry?.user_type, 'api_key');
    assert.equal(entry?.client_ip, '127.0.0.1');
    assert.equal((parseJson(String(entry?.request_body)) as JsonObject).name, 'Shared');
    assert.equal(asObject(entry?.after)?.name, 'Shared');
  });

  it('gives the newest first, page by page, with the number of all', async (t) => {
    const control = await startControl(t, { plugins, store: await fresh() });
    for (const name of ['One', 'Two', 'Three']) {
      await workspace(control, name);
      control.advance(1000);
    }
    const page = async (number: number) =>
      control.ok('GET', `/v1/audit-logs?action=create&resource_type=workspaces&page_size=2&current_page=${number}`);
    const [first, second] = [await page(0), await page(1)];
    const names = [...asObjects(first.records), ...asObjects(second.records)].map(
      ({ after }) => (after as JsonObject).name,
    );
    assert.deepEqual(names, ['Three', 'Two', 'One']);
    assert.equal(first.total, 3);
    assert.equal(first.object, 'list');
  });

  it('finds by each of its filters', async (t) => {
    const control = await startControl(t, { plugins, store: await fresh() });
    const id = await workspace(control);
    await control.ok('PUT', `/v1/admin/workspaces/${id}`, {
      body: { name: 'Renamed' },
      as: { userId: 'ada', organisationRole: 'owner' },
    });
    const [entry] = await entries(control, '?action=update&resource_type=workspaces');
    const found = async (query: string) => (await entries(control, `?action=update&${query}`)).length;
    assert.equal(await found('method=PUT'), 1);
    assert.equal(await found('method=put'), 1);
    assert.equal(await found('method=DELETE'), 0);
    assert.equal(await found(`uri=/v1/admin/workspaces/${id}`), 1);
    assert.equal(await found('uri=/v1/admin'), 0);
    assert.equal(await found('user_id=ada'), 1);
    assert.equal(await found('user_id=eve'), 0);
    assert.equal(await found('user_type=user'), 1);
    assert.equal(await found('user_type=api_key'), 0);
    assert.equal(await found('response_status_code=200'), 1);
    assert.equal(await found('response_status_code=404'), 0);
    assert.equal(await found('client_ip=127.0.0.1'), 1);
    assert.equal(await found('client_ip=10.0.0.1'), 0);
    assert.equal(await found(`request_id=${entry?.request_id}`), 1);
    assert.equal(await found('request_id=none'), 0);
    assert.equal(await found('resource_type=configs'), 0);
  });

  it('finds the changes of a workspace by its id and by its slug', async (t) => {
    const control = await startControl(t, { plugins, store: await fresh() });
    const here = await control.ok('POST', '/v1/admin/workspaces', { body: { name: 'Here' } });
    const there = await workspace(control, 'There');
    for (const id of [String(here.id), there]) {
      await control.ok('POST', '/v1/configs', {
        body: { name: 'c', config: { retry: { attempts: 1 } }, workspace_id: id },
      });
    }
    for (const name of [here.id, here.slug]) {
      const found = await entries(control, `?resource_type=configs&workspace_id=${name}`);
      assert.deepEqual(
        found.map((entry) => entry.workspace_id),
        [here.id],
      );
    }
  });

  it('shows the last 30 days unless other times are asked for', async (t) => {
    const control = await startControl(t, { plugins, store: await fresh() });
    const before = new Date(control.now()).toISOString();
    await workspace(control);
    control.advance(31 * dayMs);
    assert.equal((await entries(control, '?action=create')).length, 0);
    assert.ok((await entries(control, `?action=create&start_time=${before}`)).length > 0);
    assert.equal((await entries(control, `?action=create&start_time=2020-01-01&end_time=2020-02-01`)).length, 0);
  });

  it('removes what is older than the operator keeps, and nothing younger', async (t) => {
    const control = await startControl(t, { plugins, store: await fresh(), env: { AUDIT_RETENTION_DAYS: '10' } });
    await workspace(control, 'Old');
    control.advance(9 * dayMs);
    await workspace(control, 'Young');
    control.advance(2 * dayMs);
    await control.runJob('audit-log.retention');
    const left = await entries(control, '?resource_type=workspaces&action=create');
    assert.deepEqual(
      left.map(({ after }) => (after as JsonObject).name),
      ['Young'],
    );
  });

  it('removes any number of old entries in one run', async (t) => {
    const control = await startControl(t, { plugins, store: await fresh() });
    const { db } = (control.gateway.control as NonNullable<typeof control.gateway.control>).store;
    const row = {
      organisation_id: control.organisationId,
      created_at: 1,
      user_type: 'system',
      resource_type: 'x',
      action: 'y',
      entry: '{}',
    };
    for (let batch = 0; batch < 5; batch += 1) {
      await db('audit_logs').insert(Array.from({ length: 500 }, (_, index) => ({ ...row, id: `${batch}-${index}` })));
    }
    await control.runJob('audit-log.retention');
    assert.equal((await db('audit_logs').where('created_at', 1)).length, 0);
  });
});

describe('the audit log', () => {
  it('keeps entries for ever when the operator says 0 days', async (t) => {
    const control = await startControl(t, { plugins, env: { AUDIT_RETENTION_DAYS: '0' } });
    await workspace(control);
    control.advance(3000 * dayMs);
    await control.runJob('audit-log.retention');
    assert.ok((await entries(control, '?start_time=2020-01-01&action=create')).length > 0);
  });

  it('refuses to start with a retention that is no number of days', async (t) => {
    await assert.rejects(startControl(t, { plugins, env: { AUDIT_RETENTION_DAYS: 'soon' } }), /AUDIT_RETENTION_DAYS/);
  });

  it('holds no secret of a request or a record', async (t) => {
    const control = await startControl(t, { plugins });
    const secret = 'never-to-be-seen-anywhere';
    await control.ok('POST', '/v1/secret-references', {
      body: {
        name: 'a',
        manager_type: 'aws_sm',
        auth_config: {
          aws_auth_type: 'accessKey',
          aws_access_key_id: 'AKIDEXAMPLE',
          aws_secret_access_key: secret,
          aws_region: 'eu-west-1',
        },
        secret_path: 'p',
      },
    });
    const { text } = await control.call('GET', '/v1/audit-logs');
    assert.ok(text.includes('secret_references'));
    assert.ok(!text.includes(secret));
  });

  it('tells writes that were refused, with their status', async (t) => {
    const control = await startControl(t, { plugins });
    const { status } = await control.call('POST', '/v1/admin/workspaces', { body: {} });
    assert.equal(status, 400);
    assert.equal((await entries(control, '?response_status_code=400')).length, 1);
  });

  it('says nothing of reads', async (t) => {
    const control = await startControl(t, { plugins });
    const before = (await entries(control)).length;
    await control.ok('GET', '/v1/configs');
    assert.equal((await entries(control)).length, before);
  });

  it('knows no country, so that none is found', async (t) => {
    const control = await startControl(t, { plugins });
    await workspace(control);
    assert.equal((await entries(control))[0]?.country, null);
    assert.equal((await entries(control, '?country=DE')).length, 0);
  });

  const refusals: readonly [string, string][] = [
    ['start_time=yesterday', 'start_time'],
    ['end_time=2026-13-01', 'end_time'],
    ['start_time=2026-02-01&end_time=2026-01-01', 'start_time'],
    ['page_size=101', 'page_size'],
    ['page_size=0', 'page_size'],
    ['current_page=-1', 'current_page'],
    ['response_status_code=abc', 'response_status_code'],
  ];
  for (const [query, param] of refusals) {
    it(`refuses ${query}`, async (t) => {
      const control = await startControl(t, { plugins });
      const { status, json } = await control.call('GET', `/v1/audit-logs?${query}`);
      assert.equal(status, 400);
      assert.equal((json.error as JsonObject).param, param);
    });
  }

  it('is not found for another organisation', async (t) => {
    const control = await startControl(t, { plugins });
    assert.equal((await control.call('GET', '/v1/audit-logs?organisation_id=another')).status, 404);
    assert.ok((await entries(control, `?organisation_id=${control.organisationId}`)).length >= 0);
  });

  it('shows nothing of one organisation to another', async (t) => {
    const control = await startControl(t, { plugins });
    await workspace(control);
    const { json } = await control.call('GET', '/v1/audit-logs', { as: { organisationId: 'another' } });
    assert.equal(json.total, 0);
  });

  it('needs audit_logs.list in the organisation', async (t) => {
    const control = await startControl(t, { plugins });
    assert.equal((await control.call('GET', '/v1/audit-logs', { as: { scopes: ['configs.list'] } })).status, 403);
  });

  for (const method of ['PUT', 'DELETE', 'POST']) {
    it(`has no route to ${method} an entry`, async (t) => {
      const control = await startControl(t, { plugins });
      await workspace(control);
      const [entry] = await entries(control);
      const path = method === 'POST' ? '/v1/audit-logs' : `/v1/audit-logs/${entry?.id}`;
      assert.ok([404, 405].includes((await control.call(method, path, { body: {} })).status));
    });
  }
});
