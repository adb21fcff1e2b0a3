import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { smtpServer } from '../../core/mail/smtp.ts';
import { inEachWorld, type World } from './world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const job = 'api-keys.rotation';

const service = async (world: World, fields: JsonObject = {}) =>
  world.key('workspace/service', {
    name: 'k',
    workspace_id: await world.workspace(),
    scopes: ['configs.read'],
    ...fields,
  });
const rotate = (world: World, id: string, body: JsonObject = {}) =>
  world.c.call('POST', `/v1/api-keys/${id}/rotate`, { key: world.c.adminKey, body });
const fetchSecret = (world: World, id: string, key = world.c.adminKey) =>
  world.c.call('POST', `/v1/api-keys/${id}/rotated-secret`, { key });
const policyOf = async (world: World, id: string) => (await world.read(id)).rotation_policy as JsonObject | undefined;
const untilNext = async (world: World, id: string) =>
  Date.parse(String((await policyOf(world, id))?.next_rotation_at)) - world.c.now();
const put = (world: World, id: string, body: JsonObject) =>
  world.c.call('PUT', `/v1/api-keys/${id}`, { key: world.c.adminKey, body });

inEachWorld((given) => {
  it('a rotation gives a new secret, and the old one works until the end of the transition and not longer', async () => {
    const world = given();
    const made = await service(world);
    assert.equal(await world.statusOf(made.key), 200);
    const rotated = (await rotate(world, made.id)).json;
    assert.equal(rotated.id, made.id);
    assert.notEqual(rotated.key, made.key);
    const ends = Number(rotated.key_transition_expires_at) * 1000;
    assert.ok(Math.abs(ends - world.c.now() - 30 * minute) < 10_000, '30 minutes where nothing else is said');
    const both = async () => [await world.statusOf(made.key), await world.statusOf(String(rotated.key))];
    assert.deepEqual(await both(), [200, 200]);
    world.c.advance(29 * minute);
    assert.deepEqual(await both(), [200, 200]);
    world.c.advance(minute + 1000);
    // Without any job: what is remembered of the old secret ends with it.
    assert.deepEqual(await both(), [401, 200]);
    await world.c.runJob(job);
    assert.deepEqual(await both(), [401, 200]);
    const masked = `${String(rotated.key).slice(0, 2)}*****${String(rotated.key).slice(-3)}`;
    assert.equal((await world.read(made.id)).key, masked);
  });

  it('there are two live secrets at most', async () => {
    const world = given();
    const made = await service(world);
    assert.equal((await rotate(world, made.id)).status, 200);
    const second = await rotate(world, made.id);
    assert.equal(second.status, 409);
    assert.equal((second.json.data as JsonObject).errorCode, 'AB07');
    world.c.advance(31 * minute);
    assert.equal((await rotate(world, made.id)).status, 200, 'when the transition is over, job or no job');
  });

  it('rotations at the same time make one new secret', async () => {
    const world = given();
    const made = await service(world);
    const replies = await Promise.all([1, 2, 3, 4].map(() => rotate(world, made.id)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1, replies.map(({ text }) => text).join());
    const rows = await world.c.gateway.control?.store.db('api_key_secrets').where('api_key_id', made.id);
    assert.equal(rows?.length, 2);
  });

  it('the transition is what the call says, else what the policy says', async () => {
    const world = given();
    const made = await service(world, {
      rotation_policy: { rotation_period_days: 30, key_transition_period_ms: 2 * hour },
    });
    const lasts = async (body: JsonObject) =>
      Number((await rotate(world, made.id, body)).json.key_transition_expires_at) * 1000 - world.c.now();
    const near = (ms: number, expected: number) => assert.ok(Math.abs(ms - expected) < 10_000, `${ms}`);
    near(await lasts({}), 2 * hour);
    world.c.advance(2 * hour + 1000);
    near(await lasts({ key_transition_period_ms: 5 * hour }), 5 * hour);
  });

  it('a transition below 30 minutes, or as long as the period, is refused', async () => {
    const world = given();
    const made = await service(world, { rotation_policy: { rotation_period_days: 1 } });
    for (const ms of [1_799_999, day]) {
      const reply = await rotate(world, made.id, { key_transition_period_ms: ms });
      assert.equal(reply.status, 400);
      assert.equal((reply.json.error as JsonObject).param, 'key_transition_period_ms');
    }
  });

  it('an expired key is not rotated', async () => {
    const world = given();
    const made = await service(world, { expires_at: new Date(world.c.now() + minute).toISOString() });
    world.c.advance(2 * minute);
    assert.equal((await rotate(world, made.id)).status, 400);
  });

  it('every rotation is in the audit log, with the old key masked', async () => {
    const world = given();
    const made = await service(world);
    await rotate(world, made.id);
    const [event] = (await world.events(made.id)).filter(({ action }) => action === 'rotate');
    const text = JSON.stringify(event);
    assert.ok(text.includes('"rotation_mode":"manual"'), text);
    assert.ok(text.includes(`"old_key_masked":"${made.key.slice(0, 2)}*****${made.key.slice(-3)}"`), text);
    assert.ok(text.includes('transition_expires_at'));
    assert.ok(!text.includes(made.key));
  });

  it('a scheduled rotation happens when it is due, once, and its secret can be fetched once', async () => {
    const world = given();
    const made = await service(world, {
      rotation_policy: { rotation_period: 'weekly', key_transition_period_ms: 2 * day },
    });
    world.c.advance((await untilNext(world, made.id)) - minute);
    await world.c.runJob(job);
    assert.equal((await fetchSecret(world, made.id)).status, 404, 'not before');
    const old = (await world.read(made.id)).key;
    world.c.advance(minute + 1000);
    await world.c.runJob(job);
    await world.c.runJob(job);
    const shown = await world.read(made.id);
    assert.notEqual(shown.key, old);
    const { db } = world.c.gateway.control?.store ?? {};
    const secrets = (await db?.('api_key_secrets').where('api_key_id', made.id)) as readonly JsonObject[];
    assert.equal(secrets.length, 2);
    const { key } = (await fetchSecret(world, made.id)).json;
    assert.equal(await world.statusOf(String(key)), 200);
    assert.equal(await world.statusOf(made.key), 200, 'the old one is in transition');
    assert.equal((await fetchSecret(world, made.id)).status, 404, 'once');
    assert.ok(Math.abs((await untilNext(world, made.id)) - 7 * day) < 2 * minute, 'a week later again');
    world.c.advance(2 * day);
    await world.c.runJob(job);
    assert.equal(await world.statusOf(made.key), 401);
    const left = (await db?.('api_key_secrets').where('api_key_id', made.id)) as readonly JsonObject[];
    assert.deepEqual(
      left.map(({ state, sealed }) => ({ state, sealed })),
      [{ state: 'current', sealed: null }],
    );
    const events = (await world.events(made.id)).filter((event) =>
      JSON.stringify(event).includes('"rotation_mode":"auto"'),
    );
    assert.equal(events.length, 1);
  });

  it('the new secret of a scheduled rotation can be fetched with the old one', async () => {
    const world = given();
    const made = await service(world, { rotation_policy: { rotation_period_days: 3 } });
    world.c.advance((await untilNext(world, made.id)) + 1000);
    await world.c.runJob(job);
    const { key } = (await fetchSecret(world, made.id, made.key)).json;
    assert.equal(await world.statusOf(String(key)), 200);
    const foreign = await service(world);
    assert.equal((await fetchSecret(world, made.id, foreign.key)).status, 404, 'and with no other key');
  });

  it('a scheduled rotation waits for the transition of a manual one', async () => {
    const world = given();
    const made = await service(world, { rotation_policy: { rotation_period_days: 2 } });
    world.c.advance((await untilNext(world, made.id)) - hour);
    const manual = (await rotate(world, made.id, { key_transition_period_ms: 3 * hour })).json;
    world.c.advance(hour + minute);
    await world.c.runJob(job);
    assert.equal((await fetchSecret(world, made.id)).status, 404);
    world.c.advance(2 * hour);
    await world.c.runJob(job);
    const { key } = (await fetchSecret(world, made.id)).json;
    assert.equal(await world.statusOf(String(key)), 200);
    assert.equal(await world.statusOf(String(manual.key)), 200);
    assert.equal(await world.statusOf(made.key), 401);
  });

  it('a policy of one moment rotates once', async () => {
    const world = given();
    const next = new Date(world.c.now() + 2 * day).toISOString();
    const made = await service(world, { rotation_policy: { next_rotation_at: next } });
    assert.equal((await policyOf(world, made.id))?.next_rotation_at, `${next.slice(0, 10)}T00:00:00.000Z`);
    world.c.advance(2 * day);
    await world.c.runJob(job);
    assert.equal((await fetchSecret(world, made.id)).status, 200);
    assert.equal(await policyOf(world, made.id), undefined);
  });

  it('an enforced cadence is given to users keys, and cannot be changed or left', async () => {
    const world = given();
    const workspaceId = await world.workspace({ user_api_key_rotation_period: 'weekly' });
    const userId = await world.person({ workspaceId });
    const body = { name: 'mine', workspace_id: workspaceId, user_id: userId, scopes: ['completions.write'] };
    const make = (policy: JsonObject) =>
      world.c.call('POST', '/v1/api-keys/workspace/user', {
        key: world.c.adminKey,
        body: { ...body, rotation_policy: policy },
      });
    assert.equal((await make({ rotation_period_days: 8 })).status, 400);
    assert.equal((await make({ next_rotation_at: new Date(world.c.now() + 3 * day).toISOString() })).status, 400);
    assert.equal((await make({ rotation_period: 'weekly' })).status, 200);
    const { id } = await world.key('workspace/user', body);
    assert.equal((await policyOf(world, id))?.rotation_period_days, 7);
    const refused = [
      null,
      { rotation_period_days: 30 },
      { next_rotation_at: new Date(world.c.now() + 3 * day).toISOString() },
    ];
    for (const policy of refused) assert.equal((await put(world, id, { rotation_policy: policy })).status, 400);
    assert.equal((await put(world, id, { rotation_policy: { key_transition_period_ms: 2 * hour } })).status, 200);
    const shared = await world.key('workspace/service', {
      name: 's',
      workspace_id: workspaceId,
      scopes: ['configs.read'],
    });
    assert.equal(await policyOf(world, shared.id), undefined, 'services have none');
  });

  it('a cadence that begins to be enforced holds for the keys that are there', async () => {
    const world = given();
    const workspaceId = await world.workspace({ user_api_key_ttl: 0 });
    const userId = await world.person({ workspaceId });
    const body = { name: 'mine', workspace_id: workspaceId, user_id: userId, scopes: ['completions.write'] };
    const plain = await world.key('workspace/user', body);
    const own = await world.key('workspace/user', { ...body, rotation_policy: { rotation_period_days: 90 } });
    const set = (period: number | null) =>
      world.c.ok('PUT', `/v1/admin/workspaces/${workspaceId}`, {
        key: world.c.adminKey,
        body: { settings: { user_api_key_rotation_period: period } },
      });
    await set(14);
    for (const { id } of [plain, own]) assert.equal((await policyOf(world, id))?.rotation_period_days, 14);
    await set(null);
    assert.equal((await put(world, plain.id, { rotation_policy: null })).status, 200, 'enforced no more');
    assert.equal(await policyOf(world, plain.id), undefined);
  });
});

const mailServer: { current?: Awaited<ReturnType<typeof smtpServer>> } = {};

inEachWorld(
  (given) => {
    /** Both groups are told: those of the organisation, and those whom the key names. */
    const mails = async (about: string) => {
      const deadline = Date.now() + 5000;
      const found = () =>
        mailServer.current?.received.filter(({ raw }) => raw.replaceAll('=\r\n', '').includes(about)) ?? [];
      while (found().length < 2 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
      return found();
    };

    it('people are told a day ahead, once, and before the old secret ends, never with a secret', async () => {
      const world = given();
      const admin = await world.person({ organisationRole: 'admin' });
      const workspaceId = await world.workspace();
      const userId = await world.person({ workspaceId });
      const made = await world.key('workspace/user', {
        name: 'told',
        workspace_id: workspaceId,
        user_id: userId,
        scopes: ['completions.write'],
        alert_emails: ['ops@outside.example'],
        rotation_policy: { rotation_period_days: 10, key_transition_period_ms: 2 * day },
      });
      const received = () => mailServer.current?.received.length ?? 0;
      world.c.advance((await untilNext(world, made.id)) - day - minute);
      await world.c.runJob(job);
      assert.equal(received(), 0, 'not earlier');
      world.c.advance(2 * minute);
      await world.c.runJob(job);
      const ahead = await mails('gets a new secret at');
      await world.c.runJob(job);
      const to = (found: typeof ahead) => found.flatMap((mail) => [...mail.to]).sort();
      const all = [`${admin}@example.com`, `${userId}@example.com`, 'ops@outside.example'].sort();
      assert.deepEqual(to(ahead), all);
      assert.ok(ahead.every(({ to: group }) => group.length === 1 || !group.includes('ops@outside.example')));
      world.c.advance(day);
      await world.c.runJob(job);
      world.c.advance(day + minute);
      await world.c.runJob(job);
      const ending = await mails('Its earlier secret ends at');
      await world.c.runJob(job);
      assert.deepEqual(to(ending), all);
      const secret = String((await fetchSecret(world, made.id)).json.key);
      const everything = mailServer.current?.received.map(({ raw }) => raw).join('\n') ?? '';
      assert.equal(received(), 4, everything);
      assert.ok(!everything.includes(secret) && !everything.includes(made.key));
    });
  },
  {
    prepare: async () => {
      await mailServer.current?.close();
      const server = await smtpServer();
      mailServer.current = server;
      return { settings: { mail: { host: '127.0.0.1', port: server.port, from: 'gateway@example.com' } } };
    },
    close: async () => {
      await mailServer.current?.close();
      delete mailServer.current;
    },
  },
);
