import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { chatReply, limitedWorld } from '../plugins/limits/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { untilUsed } from './limits-world.ts';

noUnhandledRejections();

const startAt = Date.UTC(2026, 10, 21, 12, 34, 56, 789);
const costLimit: JsonObject = { usage_limits: { type: 'cost', credit_limit: 1 } };
const unknown = { model: '@prod/of-nobody-knows-what-price' };
const costName = (id: string) => ({ name: `budget/key/${id}/cost`, start: 0, durable: true });

describe('a model without a price, under a cost limit,', () => {
  it('is refused where the operator wants that, and nothing reaches the provider', async (t) => {
    const world = await limitedWorld(t, { env: { LIMITS_UNPRICED: 'deny' } });
    world.peer.always({ body: chatReply(5, 5) });
    const { key } = await world.key(costLimit);
    const refused = await world.ask(key, unknown);
    assert.equal(refused.status, 412, refused.text);
    const error = asObject(refused.json.error);
    assert.equal(error?.param, 'model');
    assert.match(
      String(error?.message),
      /No price is known for the model "@prod\/of-nobody-knows-what-price" of openai/,
    );
    assert.equal(world.peer.requests.length, 0);
    assert.equal((await world.ask(key)).status, 200, 'one with a price is served');
    const { key: unlimited } = await world.key();
    assert.equal((await world.ask(unlimited, unknown)).status, 200, 'nobody limits the cost of this key');
  });

  it('is served by default, and comes to nothing', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ body: chatReply(5, 5) });
    const { control, workspaceId } = world;
    await control.ok('PUT', `/v1/workspaces/${workspaceId}`, {
      body: { usage_limits: [{ type: 'requests', credit_limit: 1_000 }] },
    });
    const { id, key } = await world.key(costLimit);
    assert.equal((await world.ask(key, unknown)).status, 200);
    await untilUsed(world, { name: `budget/workspace/${workspaceId}/requests`, start: 0, durable: true }, 1);
    await untilUsed(world, costName(id), 0);
    assert.ok(world.control.log.some(({ event }) => event === 'unpriced_requests'));
  });
});

describe("Anthropic's client", () => {
  it('reads what rate limits leave, and when it may come again', async (t) => {
    const world = await limitedWorld(t, { startAt, stands: true });
    const { key } = await world.key({
      rate_limits: [
        { type: 'requests', unit: 'rpm', value: 2 },
        { type: 'tokens', unit: 'rph', value: 10_000 },
      ],
    });
    const client = new Anthropic({ apiKey: key, baseURL: world.control.url, maxRetries: 0 });
    const question = {
      model: '@prod/gpt-4o-mini',
      max_tokens: 40,
      messages: [{ role: 'user' as const, content: 'Hello.' }],
    };
    const { response } = await client.messages.create(question).withResponse();
    const told = (name: string, { headers }: { readonly headers: Headers }) =>
      headers.get(`anthropic-ratelimit-${name}`);
    assert.deepEqual(
      ['requests-limit', 'requests-remaining', 'requests-reset', 'tokens-limit', 'tokens-reset'].map((name) =>
        told(name, response),
      ),
      ['2', '1', '2026-11-21T12:35:00Z', '10000', '2026-11-21T13:00:00Z'],
    );
    const left = Number(told('tokens-remaining', response));
    assert.ok(left > 9_900 && left < 9_960, `${left} tokens are left`);
    assert.equal(response.headers.get('x-ratelimit-limit-requests'), null);
    await client.messages.create(question);
    await assert.rejects(client.messages.create(question), (error) => {
      assert.ok(error instanceof Anthropic.RateLimitError, String(error));
      assert.equal(error.status, 429);
      assert.equal(error.headers.get('retry-after'), '4');
      assert.equal(told('requests-remaining', error as { readonly headers: Headers }), '0');
      return true;
    });
    world.control.advance(4_000);
    const again = await client.messages.create(question).withResponse();
    assert.equal(told('requests-remaining', again.response), '1');
  });

  it('waits for as long as it is told, and is served by itself', async (t) => {
    const world = await limitedWorld(t, { startAt, stands: true });
    const { key } = await world.key({ rate_limits: [{ type: 'requests', unit: 'rps', value: 1 }] });
    let asked = 0;
    const client = new Anthropic({
      apiKey: key,
      baseURL: world.control.url,
      maxRetries: 1,
      fetch: async (url, init) => {
        asked += 1;
        // The second is over by the time of the next try.
        if (asked === 3) world.control.advance(1_000);
        return fetch(url as string, init as RequestInit);
      },
    });
    const question = { model: '@prod/gpt-4o-mini', max_tokens: 9, messages: [{ role: 'user' as const, content: 'x' }] };
    await client.messages.create(question);
    await client.messages.create(question);
    assert.equal(asked, 3);
  });
});
