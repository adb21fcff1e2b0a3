import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { inEachPlace, inWorkspace, type Place } from './place.ts';

const apiKey = 'quokka-credential';
const scan = (parameters: JsonObject = {}): JsonObject => ({ id: 'test-vendor.scan', parameters });
const withKey = scan({ credentials: { apiKey, region: 'eu' } });
const maskedKey = scan({ credentials: { apiKey: '*****', region: 'eu' } });

inEachPlace('credentials', (place) => {
  const stored = () =>
    place().control.gateway.control?.directory.get('checkCredentials', place().control.organisationId, 'test-vendor');
  const rows = async ({ control }: Place) => {
    const { db } = (control.gateway.control as NonNullable<typeof control.gateway.control>).store;
    const tables = await Promise.all(
      ['guardrails', 'guardrail_versions', 'check_credentials', 'audit_logs'].map((name) => db(name)),
    );
    return JSON.stringify(tables);
  };

  it('of units are listed with what they take, and whether they are there', async () => {
    const { data } = await place().control.ok('GET', '/v1/plugins');
    const unit = asObjects(data).find(({ id }) => id === 'test-vendor');
    assert.equal(
      asObjects(data).some(({ id }) => id === 'test-words'),
      false,
    );
    assert.deepEqual(unit?.checks, ['test-vendor.scan']);
    assert.deepEqual([unit?.status, unit?.configured, unit?.created_at], ['not_configured', false, null]);
    assert.deepEqual(Object.keys(asObject(asObject(unit?.credentials_schema)?.properties) ?? {}), ['apiKey', 'region']);
  });

  it('of a unit are stored, replaced as a whole, shown masked and forgotten', async () => {
    const { control, refused } = place();
    const path = '/v1/plugins/test-vendor';
    assert.equal((await control.ok('GET', path)).credentials, null);
    const put = (credentials: JsonObject) => control.ok('PUT', path, { body: { credentials } });
    assert.deepEqual((await put({ apiKey: 'first', region: 'us' })).credentials, { apiKey: '*****', region: 'us' });
    assert.deepEqual((await stored())?.credentials, { apiKey: 'first', region: 'us' });
    assert.deepEqual((await put({ apiKey })).credentials, { apiKey: '*****' });
    assert.deepEqual((await stored())?.credentials, { apiKey });
    const shown = await control.ok('GET', path);
    assert.deepEqual([shown.configured, shown.status, shown.credentials], [true, 'active', { apiKey: '*****' }]);
    assert.deepEqual(await control.ok('DELETE', path), {});
    assert.deepEqual(await refused('DELETE', path), [404, 'name']);
    assert.equal((await control.ok('GET', path)).configured, false);
    assert.equal(await stored(), undefined);
  });

  it('are masked and sealed where they stand in a member', async () => {
    const { control, make, refused } = place();
    const path = '/v1/plugins/azure';
    const resource = { resourceName: 'ours', apiKey };
    const shown = { contentSafety: { resourceName: 'ours', apiKey: '*****' } };
    const { credentials } = await control.ok('PUT', path, { body: { credentials: { contentSafety: resource } } });
    assert.deepEqual(credentials, shown);
    assert.deepEqual((await control.ok('GET', path)).credentials, shown);
    assert.deepEqual(await refused('PUT', path, { body: { credentials: shown } }), [
      400,
      'credentials.contentSafety.apiKey',
    ]);
    const check = { id: 'azure.contentSafety', parameters: { credentials: { contentSafety: resource } } };
    const { id } = await make({ checks: [check] });
    const [kept] = asObjects((await control.ok('GET', `/v1/guardrails/${id}`)).checks);
    assert.deepEqual(asObject(kept?.parameters)?.credentials, shown);
    assert.equal((await rows(place())).includes(apiKey), false);
    await control.ok('DELETE', path);
  });

  const faults: readonly [string, string, JsonObject, number, string][] = [
    ['a unit that there is not', 'test-none', { apiKey }, 404, 'name'],
    ['a unit that takes none', 'test-words', { apiKey }, 404, 'name'],
    ['one that is missing', 'test-vendor', { region: 'eu' }, 400, 'credentials.apiKey'],
    ['one of the wrong form', 'test-vendor', { apiKey, region: 'Europe' }, 400, 'credentials.region'],
    ['one that is unknown', 'test-vendor', { apiKey, host: 'x' }, 400, 'credentials.host'],
    ['the mask of a reply', 'test-vendor', { apiKey: '*****' }, 400, 'credentials.apiKey'],
  ];
  for (const [what, unit, credentials, status, param] of faults) {
    it(`with ${what} are refused, naming ${param}`, async () =>
      assert.deepEqual(await place().refused('PUT', `/v1/plugins/${unit}`, { body: { credentials } }), [
        status,
        param,
      ]));
  }

  it('are for the organisation alone, and each right is one of its own', async () => {
    const { control, workspace } = place();
    const call = async (method: string, scopes: readonly string[]) => {
      const path = '/v1/plugins/test-vendor';
      const body = method === 'PUT' ? { body: { credentials: { apiKey } } } : {};
      return (await control.call(method, path, { ...body, as: { scopes } })).status;
    };
    assert.equal(await call('PUT', ['plugins.update', 'plugins.list']), 403);
    assert.equal(await call('PUT', ['plugins.create']), 200);
    assert.equal(await call('PUT', ['plugins.create', 'plugins.list']), 403);
    assert.equal(await call('PUT', ['plugins.update']), 200);
    assert.equal(await call('GET', ['plugins.create', 'plugins.update']), 403);
    assert.equal(await call('GET', ['plugins.list']), 200);
    assert.equal(await call('DELETE', ['plugins.create', 'plugins.list']), 403);
    assert.equal(await call('DELETE', ['plugins.update']), 200);
    assert.equal(
      (await control.call('GET', '/v1/plugins', { as: inWorkspace(workspace, ['guardrails.list']) })).status,
      403,
    );
  });

  it('of another organisation are not seen', async () => {
    const { control } = place();
    await control.ok('PUT', '/v1/plugins/test-vendor', { body: { credentials: { apiKey } } });
    const as = { organisationId: 'another' };
    assert.equal((await control.ok('GET', '/v1/plugins/test-vendor', { as })).configured, false);
    assert.equal(await control.gateway.control?.directory.get('checkCredentials', 'another', 'test-vendor'), undefined);
    await control.ok('DELETE', '/v1/plugins/test-vendor');
  });

  it('of a guardrail’s own are masked wherever it is shown, and whole for requests', async () => {
    const { control, workspace, make, find } = place();
    const { id } = await make({ checks: [scan(), withKey] });
    assert.deepEqual((await control.ok('GET', `/v1/guardrails/${id}`)).checks, [scan(), maskedKey]);
    const { data } = await control.ok('GET', `/v1/guardrails/${id}/versions`);
    assert.deepEqual(asObjects(data)[0]?.checks, [scan(), maskedKey]);
    assert.deepEqual((await find(workspace, id))?.checks, [scan(), withKey]);
  });

  it('of a guardrail’s own stay when its name or actions change, and end with its checks', async () => {
    const { control, workspace, make, find } = place();
    const { id } = await make({ checks: [withKey] });
    const put = (body: JsonObject) => control.ok('PUT', `/v1/guardrails/${id}`, { body });
    await put({ name: 'Other' });
    await put({ actions: { deny: false } });
    assert.deepEqual((await find(workspace, id))?.checks, [withKey]);
    await put({ checks: [scan()] });
    assert.deepEqual((await find(workspace, id))?.checks, [scan()]);
  });

  it('of a guardrail’s own are not taken from the mask of a reply', async () => {
    const { make, refused } = place();
    const { id } = await make({ checks: [withKey] });
    assert.deepEqual(await refused('PUT', `/v1/guardrails/${id}`, { body: { checks: [scan(), maskedKey] } }), [
      400,
      'checks[1].parameters.credentials.apiKey',
    ]);
  });

  it('stand nowhere in clear, not in the audit log either', async () => {
    const { control, make } = place();
    const { id } = await make({ checks: [withKey] });
    await control.ok('PUT', `/v1/guardrails/${id}`, { body: { checks: [withKey] } });
    await control.ok('PUT', '/v1/plugins/test-vendor', { body: { credentials: { apiKey } } });
    const text = await rows(place());
    assert.ok(text.includes(id));
    assert.ok(!text.includes(apiKey));
    await control.ok('DELETE', '/v1/plugins/test-vendor');
  });

  it('among the parameters of a check are masked, sealed and told to nobody', async () => {
    const { control, workspace, make, find, refused } = place();
    const hook = (headers: JsonObject | string): JsonObject => ({
      id: 'default.webhook',
      parameters: { webhookURL: 'https://hooks.example.com/', headers },
    });
    const given = hook({ 'x-own': apiKey });
    const { id } = await make({ checks: [given, hook(JSON.stringify({ 'x-own': apiKey }))] });
    const shown = (await control.ok('GET', `/v1/guardrails/${id}`)).checks;
    assert.deepEqual(shown, [hook({ 'x-own': '*****' }), hook('*****')]);
    assert.deepEqual(asObjects((await find(workspace, id))?.checks)[0], given);
    assert.ok(!(await rows(place())).includes(apiKey));
    const again = [hook({ 'x-own': '*****' })];
    assert.deepEqual(await refused('PUT', `/v1/guardrails/${id}`, { body: { checks: again } }), [
      400,
      'checks[0].parameters.headers.x-own',
    ]);
  });

  it('of a guardrail’s own are gone once it is removed', async () => {
    const { control, make } = place();
    const { id } = await make({ checks: [withKey] });
    await control.ok('DELETE', `/v1/guardrails/${id}`);
    const { db } = (control.gateway.control as NonNullable<typeof control.gateway.control>).store;
    const row = (await db('guardrails').where('id', id).first()) as { sealed: string | null; status: string };
    assert.deepEqual([row.status, row.sealed], ['archived', null]);
  });
});
