import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { readMail } from '../../core/mail/read-mail.ts';
import { smtpServer } from '../../core/mail/smtp.ts';
import { chatReply, limitedWorld } from './world.ts';

const policy = {
  name: 'spending',
  conditions: [{ key: 'workspace_id', value: '*' }],
  group_by: [{ key: 'workspace_id' }, { key: 'api_key' }, { key: 'metadata._user' }],
  type: 'requests',
  credit_limit: 2,
};

/** A gateway with one person who is told, and what they are told. */
async function mailed(t: TestContext) {
  const server = await smtpServer();
  const mail = { host: '127.0.0.1', port: server.port, from: 'gateway@example.com' };
  const world = await limitedWorld(t, { settings: { mail } });
  t.after(() => server.close());
  world.peer.always({ body: chatReply(5, 5) });
  const { control, workspaceId } = world;
  const invited = await control.ok('POST', '/v1/admin/users/invites', {
    body: { email: 'ann@example.com', role: 'member', workspaces: [{ id: workspaceId, role: 'manager' }] },
  });
  const token = new URL(String(invited.invite_link)).searchParams.get('token') ?? '';
  await control.ok('POST', '/v1/invites/accept', { body: { token, first_name: 'Ann' } });
  const received = () =>
    server.received.map(({ raw }) => readMail(raw)).filter(({ subject }) => !/invited/.test(subject));
  return {
    ...world,
    /** Limits, of the workspace unless the body says something else; gives the id. */
    limited: async (body: JsonObject = {}) => {
      const all = { ...policy, workspace_id: workspaceId, ...body };
      return String((await control.ok('POST', '/v1/policies/usage-limits', { body: all })).id);
    },
    alerts: async (count: number) => {
      assert.equal(await control.runJob('limits.alerts'), true);
      for (let tries = 0; received().length < count; tries += 1) {
        assert.ok(tries < 500, `${received().length} mails`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return received();
    },
  };
}

describe('a mail of a usage limit', () => {
  it('says whose threshold was crossed, and what follows', async (t) => {
    const { key, ask, stored, alerts } = await mailed(t);
    const { id, key: secret } = await key({
      usage_limits: { type: 'requests', credit_limit: 3, alert_threshold: 1, periodic_reset: 'monthly' },
    });
    await ask(secret);
    await stored(`budget/key/${id}/requests`, 1);
    assert.deepEqual(await alerts(1), [
      {
        subject: 'The API key "billing" has reached its alert threshold',
        text: [
          'The API key "billing" has used 1 request of 3 requests.',
          'This reaches its alert threshold, 1 request. Requests go on being served.',
          'It is reset at 2026-12-01T00:00:00Z.',
        ].join('\n'),
      },
    ]);
  });

  it('names the group of a policy as the refusal does, by slug, name and value', async (t) => {
    const { control, workspaceId, key, ask, stored, limited, alerts } = await mailed(t);
    const id = await limited({ alert_threshold: 1 });
    const { key: secret } = await key();
    const user = 'alice, \\ and bob';
    for (const status of [200, 200, 412]) assert.equal((await ask(secret, { user })).status, status);
    const { slug } = await control.ok('GET', `/v1/workspaces/${workspaceId}`);
    const whose = `the policy "spending" for workspace_id:${slug},api_key:billing,metadata._user:${user}`;
    const refusal = await ask(secret, { user });
    assert.ok(String(asObject(refusal.json.error)?.message).startsWith(`The usage limit of ${whose}, 2 requests, is`));
    await stored(`budget/policy/${id}/requests`, 2);
    const begin = whose.replace('the', 'The');
    assert.deepEqual(await alerts(2), [
      {
        subject: 'The policy "spending" has reached its alert threshold',
        text: [
          `${begin} has used 2 requests of 2 requests.`,
          'This reaches its alert threshold, 1 request. The limit is used up too: requests are refused.',
          'It is not reset by itself.',
        ].join('\n'),
      },
      {
        subject: 'The policy "spending" has used up its usage limit',
        text: [
          `${begin} has used up its usage limit: 2 requests of 2 requests.`,
          'Requests are refused until the limit is raised or reset.',
          'It is not reset by itself.',
        ].join('\n'),
      },
    ]);
  });

  it('says where a policy without a name is, and names by its id what is gone', async (t) => {
    const { control, key, ask, stored, limited, alerts } = await mailed(t);
    const id = await limited({ name: null, group_by: [{ key: 'api_key' }] });
    const { id: keyId, key: secret } = await key();
    for (let time = 0; time < 2; time += 1) await ask(secret);
    await stored(`budget/policy/${id}/requests`, 2);
    await control.ok('DELETE', `/v1/api-keys/${keyId}`);
    assert.deepEqual(await alerts(1), [
      {
        subject: 'A policy without a name in the workspace "Limited" has used up its usage limit',
        text: [
          `A policy without a name in the workspace "Limited" for api_key:${keyId} has used up its usage limit: ` +
            '2 requests of 2 requests.',
          'Requests are refused until the limit is raised or reset.',
          'It is not reset by itself.',
          `The id of the policy is ${id}.`,
        ].join('\n'),
      },
    ]);
  });
});
