import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { smtpServer } from '../../core/mail/smtp.ts';
import { type ControlOptions, startControl, testKeyMaterial } from '../../support/control.ts';
import type { Reply } from '../../support/gateway.ts';
import { chatReply, limitedWorld, messages } from './world.ts';

function statuses(replies: readonly { readonly status: number }[]): Readonly<Record<number, number>> {
  const counted: Record<number, number> = {};
  for (const { status } of replies) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

const messageOf = (reply: Reply | undefined) => String(asObject(reply?.json.error)?.message);

const clients = 200;

describe('200 clients at once', () => {
  it('get as many requests through as the budget of their key allows', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ body: chatReply(5, 5) });
    const { id, key } = await world.key({ usage_limits: { type: 'requests', credit_limit: 17 } });
    const replies = await Promise.all(Array.from({ length: clients }, () => world.ask(key)));
    assert.deepEqual(statuses(replies), { 200: 17, 412: clients - 17 });
    assert.equal(world.peer.requests.length, 17);
    await world.settled(`budget/key/${id}/requests`, 17);
    const shown = await world.control.ok('GET', `/v1/api-keys/${id}`);
    assert.equal(shown.status, 'exhausted');
    const refused = replies.find(({ status }) => status === 412);
    assert.match(messageOf(refused), /The usage limit of the API key "billing"/);
  });

  it('never use more tokens than the budget of their workspace allows', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ body: chatReply(20, 30) });
    await world.control.ok('PUT', `/v1/workspaces/${world.workspaceId}`, {
      body: { usage_limits: [{ type: 'tokens', credit_limit: 1000 }] },
    });
    const { key } = await world.key();
    const replies = await Promise.all(Array.from({ length: clients }, () => world.ask(key, { max_tokens: 40 })));
    const through = statuses(replies)[200] ?? 0;
    assert.ok(through > 5 && through <= 20, `${through} requests of 50 tokens`);
    await world.settled(`budget/workspace/${world.workspaceId}/tokens`, through * 50);
  });

  it('never spend more than the budget of their provider allows', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ body: chatReply(1000, 1000) });
    await world.control.ok('PUT', `/v1/providers/prod?workspace_id=${world.workspaceId}`, {
      body: { usage_limits: { type: 'cost', credit_limit: 1 } },
    });
    await world.control.ok('POST', '/v1/model-prices', {
      body: {
        name: 'dear',
        provider: 'openai',
        model: 'gpt-4o-mini',
        // Cents for each token: a request of 1,000 + 1,000 tokens costs 8 US cents.
        price: { request_token: 0.004, response_token: 0.004 },
      },
    });
    const { key } = await world.key();
    const body = { max_tokens: 1000, messages: [{ role: 'user', content: 'x'.repeat(4000) }] };
    const replies = await Promise.all(Array.from({ length: clients }, () => world.ask(key, body)));
    const through = statuses(replies)[200] ?? 0;
    assert.ok(through > 5 && through <= 12, `${through} requests of 8 cents: ${JSON.stringify(statuses(replies))}`);
    const { id } = await world.control.ok('GET', `/v1/providers/prod?workspace_id=${world.workspaceId}`);
    await world.settled(`budget/provider/${id}/cost`, through * 80_000_000);
  });

  it('get as many requests through in a minute as a policy allows each group', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ body: chatReply(5, 5) });
    await world.control.ok('POST', '/v1/policies/rate-limits', {
      body: {
        name: 'per person',
        workspace_id: world.workspaceId,
        conditions: [{ key: 'metadata._user', value: '*' }],
        group_by: [{ key: 'metadata._user' }],
        type: 'requests',
        unit: 'rpw',
        value: 9,
      },
    });
    const { key } = await world.key();
    const replies = await Promise.all(
      Array.from({ length: clients }, (_, index) => world.ask(key, { user: index % 2 === 0 ? 'alice' : 'bob' })),
    );
    assert.deepEqual(statuses(replies), { 200: 18, 429: clients - 18 });
    const refused = replies.find(({ status }) => status === 429);
    assert.match(messageOf(refused), /the policy "per person" for metadata\._user:(alice|bob)/);
    assert.ok(Number(refused?.headers.get('retry-after')) > 0);
    assert.equal((await world.ask(key)).status, 200);
  });
});

describe('what is set aside', () => {
  const budgeted = async (t: TestContext) => {
    const world = await limitedWorld(t);
    const { id, key } = await world.key({ usage_limits: { type: 'tokens', credit_limit: 100_000 } });
    return { ...world, id, secret: key, name: `budget/key/${id}/tokens` };
  };

  it('comes back when the provider fails', async (t) => {
    const { ask, peer, secret, name, settled } = await budgeted(t);
    peer.next({ status: 500, body: { error: { message: 'no' } } });
    assert.equal((await ask(secret)).status, 500);
    await settled(name, 0);
  });

  it('is corrected when another target serves', async (t) => {
    const { ask, peer, secret, name, settled } = await budgeted(t);
    peer.next({ status: 500, body: { error: { message: 'no' } } }, { body: chatReply(7, 8) });
    const config = { strategy: { mode: 'fallback' }, targets: [{ provider: '@prod' }, { provider: '@prod' }] };
    const reply = await ask(secret, {}, { 'x-gw-config': JSON.stringify(config) });
    assert.equal(reply.status, 200, reply.text);
    await settled(name, 15);
  });

  it('is corrected by what a stream says at its end', async (t) => {
    const { ask, peer, secret, name, settled } = await budgeted(t);
    const chunk = (more: JsonObject) =>
      JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', ...more });
    peer.next({
      events: [
        `data: ${chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: null }] })}\n\n`,
        `data: ${chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
        `data: ${chunk({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 12, total_tokens: 23 } })}\n\n`,
        'data: [DONE]\n\n',
      ],
    });
    assert.equal((await ask(secret, { stream: true })).status, 200);
    await settled(name, 23);
  });

  it('comes back when the client leaves before the provider has said anything', async (t) => {
    const { control, peer, secret, name, settled } = await budgeted(t);
    peer.next({ before: 'never' });
    const leaving = new AbortController();
    const reply = fetch(`${control.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json', 'x-gw-api-key': secret },
      body: JSON.stringify({ model: '@prod/gpt-4o-mini', messages }),
    }).catch(() => undefined);
    await peer.request(0);
    leaving.abort();
    await reply;
    await settled(name, 0);
  });
});

describe('people', () => {
  it('are told once of a threshold and once of the end, by mail', async (t) => {
    const mails = await smtpServer();
    t.after(() => mails.close());
    const world = await limitedWorld(t, {
      settings: { mail: { host: '127.0.0.1', port: mails.port, from: 'gateway@example.com' } },
    });
    const { control, peer } = world;
    peer.always({ body: chatReply(5, 5) });
    const { invite_link: link } = await control.ok('POST', '/v1/admin/users/invites', {
      body: { email: 'manager@example.com', role: 'member', workspaces: [{ id: world.workspaceId, role: 'manager' }] },
    });
    const token = new URL(String(link)).searchParams.get('token') ?? '';
    await control.ok('POST', '/v1/invites/accept', { body: { token, first_name: 'M' } });
    const { id, key } = await world.key({
      usage_limits: { type: 'requests', credit_limit: 3, alert_threshold: 2 },
      alert_emails: ['outside@example.com'],
    });
    // Long subjects come in encoded words.
    const alerts = () =>
      mails.received
        .flatMap(({ to, raw }) => {
          const kind = /^Subject: .*billing.*(reached|used_up)/m.exec(raw)?.[1];
          return kind === undefined ? [] : [`${kind} -> ${to.join()}`];
        })
        .sort();
    const run = async () => {
      assert.equal(await control.runJob('limits.alerts'), true);
    };
    const received = async (count: number) => {
      for (let tries = 0; alerts().length < count; tries += 1) {
        assert.ok(tries < 500, JSON.stringify(alerts()));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await world.ask(key);
    await world.stored(`budget/key/${id}/requests`, 1);
    await run();
    assert.deepEqual(alerts(), []);
    await world.ask(key);
    await world.ask(key);
    assert.equal((await world.ask(key)).status, 412);
    await world.stored(`budget/key/${id}/requests`, 3);
    await run();
    await run();
    await received(4);
    await run();
    assert.deepEqual(alerts(), [
      'reached -> manager@example.com',
      'reached -> outside@example.com',
      'used_up -> manager@example.com',
      'used_up -> outside@example.com',
    ]);
    const texts = mails.received.map(({ raw }) => raw.replace(/=\r?\n/g, ''));
    const ofThreshold = texts.filter((text) => text.includes('alert threshold, 2 requests'));
    assert.equal(ofThreshold.length, 2);
    for (const text of ofThreshold)
      assert.match(text.replace(/\s+/g, ' '), /limit is used up too: requests are refused/);
    await control.ok('PUT', `/v1/api-keys/${id}`, {
      body: { usage_limits: { type: 'requests', credit_limit: 4, alert_threshold: 2 } },
    });
    assert.equal((await control.ok('GET', `/v1/api-keys/${id}`)).status, 'active');
    assert.equal((await world.ask(key)).status, 200);
    await world.stored(`budget/key/${id}/requests`, 4);
    await run();
    await received(8);
    await control.ok('PUT', `/v1/api-keys/${id}`, { body: { reset_usage: true } });
    const shown = await control.ok('GET', `/v1/api-keys/${id}`);
    assert.equal(shown.status, 'active');
    assert.ok(Number(shown.last_reset_at) > 0);
    assert.equal((await world.ask(key)).status, 200);
  });

  it('are told by another process, and once, what the mail server did not take before theirs was gone', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-alerts-'));
    const file = join(folder, 'store.sqlite');
    const away = await smtpServer();
    await away.close();
    const options: ControlOptions = {
      store: { kind: 'sqlite', file },
      keyMaterial: testKeyMaterial(),
      settings: { mail: { host: '127.0.0.1', port: away.port, from: 'gateway@example.com' } },
    };
    const world = await limitedWorld(t, options);
    world.peer.always({ body: chatReply(5, 5) });
    const { id, key } = await world.key({
      usage_limits: { type: 'requests', credit_limit: 3, alert_threshold: 1 },
      alert_emails: ['outside@example.com'],
    });
    await world.ask(key);
    await world.stored(`budget/key/${id}/requests`, 1);
    assert.equal(await world.control.runJob('limits.alerts'), true);
    assert.equal(await world.control.runJob('core.mails'), true);
    const others = [await startControl(t, options), await startControl(t, options)];
    const back = await smtpServer({ port: away.port });
    t.after(() => back.close());
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    for (let time = 0; time < 2; time += 1) {
      for (const other of others) other.advance(120_000);
      await Promise.all(others.map((other) => other.runJob('core.mails')));
    }
    assert.deepEqual(
      back.received.map(({ to }) => to),
      [['outside@example.com']],
    );
  });
});
