import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const plugins = ['audit-log', 'tenancy', 'test-records'];

onEachStore((name, _, fresh) => {
  describe(`a resource on ${name}`, () => {
    let control: TestControl;
    let first: string;
    let second: string;
    const closing: (() => unknown)[] = [];
    after(async () => {
      for (const close of closing) await close();
    });
    before(async () => {
      control = await startControl(
        { after: (close) => closing.push(close as () => unknown) },
        { plugins, store: await fresh() },
      );
      first = String((await control.ok('POST', '/v1/workspaces', { body: { name: 'First' } })).id);
      second = String((await control.ok('POST', '/v1/workspaces', { body: { name: 'Second' } })).id);
    });
    const make = (body: JsonObject) => control.ok('POST', '/v1/gadgets', { body: { workspace_id: first, ...body } });
    const refusedAs = async (method: string, path: string, options: Parameters<TestControl['call']>[2]) => {
      const { status, json } = await control.call(method, path, options);
      const { errorCode } = json.data as { errorCode: string };
      return { status, errorCode, param: (json.error as JsonObject).param, message: String(json.message) };
    };

    it('is created, read, changed, listed and removed by the routes that derive from it', async () => {
      const made = await make({ name: 'Lever', colour: 'red', size: 3 });
      assert.match(String(made.slug), /^gd-lever-[0-9a-f]{6}$/);
      const read = await control.ok('GET', `/v1/gadgets/${made.id}`);
      assert.equal(read.name, 'Lever');
      assert.equal(read.weight, 7);
      assert.equal(read.workspace_id, first);
      assert.deepEqual(
        await control.ok('PUT', `/v2/gizmos/${made.slug}`, { body: { size: null, colour: 'green' } }),
        {},
      );
      const changed = await control.ok('GET', `/v1/admin/gadgets/${made.slug}`);
      assert.equal(changed.size, null);
      assert.equal(changed.colour, 'green');
      const listed = await control.ok('GET', `/v1/gadgets?workspace_id=${first}&search=Lev`);
      assert.equal(listed.total, 1);
      assert.deepEqual(await control.ok('DELETE', `/v1/gadgets/${made.id}`), {});
      assert.equal((await control.call('GET', `/v1/gadgets/${made.id}`)).status, 404);
      assert.equal((await control.ok('GET', `/v1/gadgets?status=archived`)).total, 1);
    });

    for (const [body, param] of [
      [{ colour: 'red' }, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'x', colour: 'blue' }, 'colour'],
      [{ name: 'x', size: 11 }, 'size'],
      [{ name: 'x', size: '3' }, 'size'],
      [{ name: 'x', due_at: 'tomorrow' }, 'due_at'],
      [{ name: 'x', slug: 'has spaces' }, 'slug'],
      [{ name: 'x', notes: { a: 1 } }, 'notes.a'],
      [{ name: 'x', echo: 'refuse' }, 'echo'],
    ] as const) {
      it(`refuses ${JSON.stringify(body)} naming ${param}`, async () => {
        const refused = await refusedAs('POST', '/v1/gadgets', { body: { workspace_id: first, ...body } });
        assert.deepEqual(
          { ...refused, message: undefined },
          { status: 400, errorCode: 'AB01', param, message: undefined },
        );
      });
    }

    it('ignores what it does not know, and what only the gateway may set', async () => {
      const made = await make({
        name: 'Bolt',
        unknown: true,
        serial: 'forged',
        id: 'forged',
        organisation_id: 'forged',
      });
      const read = await control.ok('GET', `/v1/gadgets/${made.id}`);
      assert.notEqual(read.serial, 'forged');
      assert.notEqual(read.id, 'forged');
      assert.equal(read.organisation_id, control.organisationId);
      assert.equal('unknown' in read, false);
    });

    it('refuses to change what may be given once, and takes it unchanged', async () => {
      const made = await make({ name: 'Nut', kind: 'hex' });
      const path = `/v1/gadgets/${made.id}`;
      for (const [name, value] of Object.entries({
        kind: 'wing',
        slug: 'other',
        id: 'other',
        organisation_id: 'other',
      })) {
        const refused = await refusedAs('PUT', path, { body: { [name]: value, name: 'Nut 1' } });
        assert.deepEqual([refused.status, refused.param], [400, name]);
        assert.match(refused.message, /cannot be changed\. Leave it out, or send "/);
      }
      const same = {
        kind: 'hex',
        slug: String(made.slug),
        id: String(made.id),
        organisation_id: control.organisationId,
      };
      for (const body of [same, { id: same.slug, slug: same.id }, { id: null, slug: null, kind: null }])
        await control.ok('PUT', path, { body });
      await control.ok('PUT', path, { body: { ...same, name: 'Nut 2' } });
      const read = await control.ok('GET', path);
      assert.deepEqual([read.kind, read.name], ['hex', 'Nut 2']);
    });

    it('reads moments in either form, and writes them as set', async () => {
      const made = await make({
        name: 'Clock',
        due_at: '2030-01-31T00:00:00Z',
        checked_at: 1_900_000_000,
        is_big: true,
      });
      const read = await control.ok('GET', `/v1/gadgets/${made.id}`);
      assert.equal(read.due_at, Date.UTC(2030, 0, 31) / 1000);
      assert.equal(read.checked_at, new Date(1_900_000_000_000).toISOString());
      assert.equal(read.is_big, 1);
      assert.ok(Number.isInteger(read.created_at));
    });

    it('keeps secrets encrypted, and shows them to nobody', async () => {
      const made = await make({ name: 'Safe', password: 'open sesame' });
      const { store } = control.gateway.control as NonNullable<typeof control.gateway.control>;
      const rows = await store.db('gadgets').where({ id: made.id });
      const audits = await store.db('audit_logs').select();
      assert.equal(JSON.stringify([rows, audits]).includes('open sesame'), false);
      assert.equal(JSON.stringify(await control.ok('GET', `/v1/gadgets/${made.id}`)).includes('sesame'), false);
      assert.equal((await control.ok('GET', `/v1/gadgets/${made.id}/password`)).password, 'open sesame');
      await control.ok('PUT', `/v1/gadgets/${made.id}`, { body: { name: 'Safe 2' } });
      assert.equal((await control.ok('GET', `/v1/gadgets/${made.id}/password`)).password, 'open sesame');
    });

    it('undoes everything when a later step fails, and runs no reaction of what was undone', async () => {
      const total = async () => (await control.ok('GET', `/v1/gadgets?workspace_id=${first}`)).total;
      const before = await total();
      const { status } = await control.call('POST', '/v1/gadgets', {
        body: { workspace_id: first, name: 'fails late' },
      });
      assert.equal(status, 409);
      assert.equal(await total(), before);
    });

    it('lets another plugin block a removal', async () => {
      const made = await make({ name: 'stays' });
      assert.equal((await refusedAs('DELETE', `/v1/gadgets/${made.id}`, {})).errorCode, 'AB07');
      await control.ok('GET', `/v1/gadgets/${made.id}`);
    });

    it('takes a given slug once, and again when its record is gone', async () => {
      const made = await make({ name: 'Slug', slug: 'mine' });
      assert.equal(
        (await refusedAs('POST', '/v1/gadgets', { body: { workspace_id: first, name: 'x', slug: 'mine' } })).errorCode,
        'AB07',
      );
      await control.ok('DELETE', `/v1/gadgets/${made.id}`);
      assert.equal((await make({ name: 'Slug', slug: 'mine' })).slug, 'mine');
    });

    it('pages from 0, newest first, without losing or repeating one', async () => {
      for (let index = 0; index < 5; index += 1)
        await control.ok('POST', '/v1/gadgets', { body: { workspace_id: second, name: `page ${index}` } });
      const names: string[] = [];
      for (const page of [0, 1, 2]) {
        const { data, total } = await control.ok(
          'GET',
          `/v1/gadgets?workspace_id=${second}&page_size=2&current_page=${page}`,
        );
        assert.equal(total, 5);
        names.push(...(data as JsonObject[]).map((item) => String(item.name)));
      }
      assert.deepEqual([...names].sort(), ['page 0', 'page 1', 'page 2', 'page 3', 'page 4']);
      for (const query of ['page_size=0', 'page_size=1001', 'page_size=x', 'current_page=-1']) {
        assert.equal((await control.call('GET', `/v1/gadgets?${query}`)).status, 400, query);
      }
    });

    it('looks for texts as they are: upper case, percent signs and quotes count', async () => {
      await make({ name: "50% O'Neil" });
      const found = async (text: string) =>
        (await control.ok('GET', `/v1/gadgets?search=${encodeURIComponent(text)}`)).total;
      assert.equal(await found("50% O'N"), 1);
      assert.equal(await found("o'neil"), 0);
      assert.equal(await found('5_%'), 0);
    });

    it('shows a workspace key its own workspace and nothing else', async () => {
      const mine = await make({ name: 'Mine' });
      const as = {
        workspaceId: second,
        scopes: ['configs.list', 'configs.read', 'configs.update', 'configs.delete', 'configs.create'],
      };
      for (const [method, body] of [['GET'], ['PUT', { name: 'Stolen' }], ['DELETE']] as const) {
        const { status } = await control.call(method, `/v1/gadgets/${mine.id}`, {
          as,
          ...(body === undefined ? {} : { body }),
        });
        assert.equal(status, 404, method);
      }
      const listed = await control.ok('GET', `/v1/gadgets?workspace_id=${first}`, { as });
      assert.ok((listed.data as JsonObject[]).every((item) => item.workspace_id === second));
      const made = await control.ok('POST', '/v1/gadgets', { as, body: { name: 'Here', workspace_id: first } });
      assert.equal((await control.ok('GET', `/v1/gadgets/${made.id}`, { as })).workspace_id, second);
    });

    it('wants to know the workspace from whoever has several', async () => {
      assert.deepEqual(
        { ...(await refusedAs('POST', '/v1/gadgets', { body: { name: 'x' } })), message: '' },
        { status: 400, errorCode: 'AB01', param: 'workspace_id', message: '' },
      );
      assert.equal((await control.call('GET', '/v1/gadgets?workspace_id=ws-nobody-000000')).status, 404);
    });

    it('refuses whoever lacks the permission, whether or not the record is there', async () => {
      const mine = await make({ name: 'Guarded' });
      const as = { scopes: ['configs.list'] };
      for (const [method, path] of [
        ['GET', mine.id],
        ['PUT', mine.id],
        ['DELETE', 'nothing'],
        ['GET', 'nothing'],
      ] as const) {
        const refused = await refusedAs(method, `/v1/gadgets/${path}`, {
          as,
          body: method === 'PUT' ? {} : undefined,
        } as never);
        assert.deepEqual([refused.status, refused.errorCode], [403, 'AB03'], `${method} ${path}`);
        assert.match(refused.message, /configs\.(read|update|delete)/);
      }
    });

    it('runs an action on its record, and tells the audit log without secrets', async () => {
      const made = await make({ name: 'Shoe', colour: 'red' });
      assert.deepEqual(await control.ok('POST', `/v1/gadgets/${made.id}/polish`, { body: { times: 2 } }), {
        polished: 2,
      });
      assert.equal((await control.call('POST', `/v1/gadgets/${made.id}/polish`, { body: { times: 4 } })).status, 400);
      const { records } = await control.ok('GET', '/v1/audit-logs?action=polish');
      const told = JSON.stringify(records);
      assert.equal(told.includes('never shown'), false);
      assert.ok((records as JsonObject[]).some((record) => record.response_status_code === 200));
      assert.ok((records as JsonObject[]).some((record) => record.response_status_code === 400));
    });

    it('keeps plugins out of the tables of others', async () => {
      const { status, text } = await control.call('GET', '/v1/gadgets/foreign-table');
      assert.equal(status, 500);
      assert.equal(text.includes('Default'), false);
      assert.ok(
        control.log.some(
          ({ event, fields }) => event === 'control_failed' && String(fields.message).includes('organisations'),
        ),
      );
    });

    it('serves public routes without a key, and personal ones to persons', async () => {
      assert.equal((await control.call('GET', '/v1/public-gadget', { key: '' })).status, 200);
      assert.equal((await control.call('GET', '/v1/self-gadget', {})).status, 401);
      assert.deepEqual(await control.ok('GET', '/v1/self-gadget', { as: { userId: 'u1' } }), { user: 'u1' });
    });

    it('goes with its workspace, when that is forced', async () => {
      const doomed = await control.ok('POST', '/v1/workspaces', { body: { name: 'Doomed' } });
      const made = await control.ok('POST', '/v1/gadgets', {
        body: { workspace_id: String(doomed.id), name: 'Hangs on' },
      });
      const refused = await refusedAs('DELETE', `/v1/workspaces/${doomed.id}`, { body: { name: 'Doomed' } });
      assert.deepEqual([refused.status, refused.errorCode], [409, 'AB07']);
      assert.match(refused.message, /1 gadgets/);
      await control.ok('DELETE', `/v1/workspaces/${doomed.id}`, { body: { name: 'Doomed', force_delete: true } });
      assert.equal((await control.call('GET', `/v1/gadgets/${made.id}`)).status, 404);
    });

    it('runs a job in one process at a time, and again later', async () => {
      assert.equal(await control.runJob('test-records.tidy'), true);
      assert.equal(await control.runJob('test-records.tidy'), true);
      const { store } = control.gateway.control as NonNullable<typeof control.gateway.control>;
      await store
        .db('job_leases')
        .where({ name: 'test-records.tidy' })
        .update({ holder: 'another', until: control.now() + 60_000 });
      assert.equal(await control.runJob('test-records.tidy'), false);
      control.advance(61_000);
      assert.equal(await control.runJob('test-records.tidy'), true);
    });
  });
});
