import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { chatReply, limitedWorld, messages, type World } from './world.ts';

const failure = { status: 500, body: { error: { message: 'no' } } };

/** Two targets of one provider: the second is asked when the first fails. */
function fallback(first: JsonObject, second: JsonObject): Readonly<Record<string, string>> {
  const targets = [first, second].map((override_params) => ({ provider: '@prod', override_params }));
  return { 'x-gw-config': JSON.stringify({ strategy: { mode: 'fallback' }, targets }) };
}

async function priced(world: World, model: string, cents: number): Promise<void> {
  await world.control.ok('POST', '/v1/model-prices', {
    body: { name: model, provider: 'openai', model, price: { request_token: cents, response_token: cents } },
  });
}

async function costly(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const world = await limitedWorld(t, { env });
  const made = await world.key({ usage_limits: { type: 'cost', credit_limit: 1 } });
  return { world, ...made };
}

describe('a second target', () => {
  it('is refused without a price, where the first had one', async (t) => {
    const { world, key } = await costly(t, { LIMITS_UNPRICED: 'deny' });
    world.peer.next(failure, { body: chatReply(5, 5) });
    const headers = fallback({ model: 'gpt-4o-mini' }, { model: 'unheard-of' });
    const reply = await world.ask(key, {}, headers);
    assert.equal(reply.status, 412, reply.text);
    assert.equal(world.peer.requests.length, 1);
  });

  it('has room set aside for what it costs itself', async (t) => {
    const { world, id, key } = await costly(t);
    await priced(world, 'cheap', 0.000001);
    // 10 cents for 10 tokens: ten requests use the budget up.
    await priced(world, 'dear', 1);
    world.peer.always(({ body }) => (body.model === 'cheap' ? failure : { body: chatReply(2, 8) }));
    const headers = fallback({ model: 'cheap' }, { model: 'dear' });
    const replies = await Promise.all(Array.from({ length: 60 }, () => world.ask(key, { max_tokens: 8 }, headers)));
    const served = replies.filter(({ status }) => status === 200).length;
    assert.ok(served > 0 && served <= 10, `${served} requests of 10 cents`);
    await world.settled(`budget/key/${id}/cost`, served * 100_000_000);
  });

  it('that needs less than the first uses the room of the first', async (t) => {
    const { world, id, key } = await costly(t);
    await priced(world, 'cheap', 0.000001);
    await priced(world, 'dear', 1);
    world.peer.next(failure, { body: chatReply(2, 8) });
    const reply = await world.ask(key, { max_tokens: 8 }, fallback({ model: 'dear' }, { model: 'cheap' }));
    assert.equal(reply.status, 200, reply.text);
    await world.settled(`budget/key/${id}/cost`, 100);
  });
});

describe('a client that goes around a limit', () => {
  it('by leaving before the reply is counted all the same', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ before: 'never' });
    const { id, key } = await world.key({ usage_limits: { type: 'requests', credit_limit: 2 } });
    for (let count = 1; count <= 2; count += 1) {
      const leaving = new AbortController();
      const reply = fetch(`${world.control.url}/v1/chat/completions`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { 'content-type': 'application/json', 'x-gw-api-key': key },
        body: JSON.stringify({ model: '@prod/gpt-4o-mini', messages }),
      }).catch(() => undefined);
      await world.peer.request(count - 1);
      leaving.abort();
      await reply;
      await world.settled(`budget/key/${id}/requests`, count);
    }
    assert.equal((await world.ask(key)).status, 412);
  });

  it('by the proxy route is counted by an estimate, for nobody reads the reply', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ body: chatReply(5, 5) });
    const { id, key } = await world.key({ usage_limits: { type: 'tokens', credit_limit: 300 } });
    const headers = { 'x-gw-provider': '@prod' };
    const body = { model: 'gpt-4o-mini', messages };
    const ask = () => world.control.call('POST', '/v1/proxy/chat/completions', { key, body, headers });
    assert.equal((await ask()).status, 200);
    assert.equal((await world.control.call('GET', '/v1/proxy/models', { key, headers })).status, 200);
    await world.settled(`budget/key/${id}/tokens`, Math.ceil(JSON.stringify(body).length / 4) + 256);
    assert.equal((await ask()).status, 412);
  });

  it('by the proxy route is refused where no cost may be unknown', async (t) => {
    const { world, key } = await costly(t, { LIMITS_UNPRICED: 'deny' });
    const body = { model: 'gpt-4o-mini', messages };
    const reply = await world.control.call('POST', '/v1/proxy/chat/completions', {
      key,
      body,
      headers: { 'x-gw-provider': '@prod' },
    });
    assert.equal(reply.status, 412, reply.text);
    assert.equal(world.peer.requests.length, 0);
  });

  for (const [path, body] of [
    ['/v1/threads/runs', { assistant_id: 'a' }],
    ['/v1/threads/one/runs', { assistant_id: 'a' }],
    ['/v1/batches', { input_file_id: 'f', endpoint: '/v1/chat/completions', completion_window: '24h' }],
    ['/v1/fine_tuning/jobs', { training_file: 'f' }],
  ] as const)
    it(`by naming a model that has a price is refused where no cost may be unknown: ${path}`, async (t) => {
      const { world, key } = await costly(t, { LIMITS_UNPRICED: 'deny' });
      const headers = { 'x-gw-provider': '@prod' };
      const reply = await world.control.call('POST', path, { key, body: { ...body, model: 'gpt-4o-mini' }, headers });
      assert.equal(reply.status, 412, reply.text);
      assert.match(reply.text, /No price is known for what is asked of openai/);
      assert.equal(world.peer.requests.length, 0);
    });
});
