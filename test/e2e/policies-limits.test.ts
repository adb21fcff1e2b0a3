import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import { WebSocket } from 'ws';
import { noUnhandledRejections } from '../support/rejections.ts';
import { nameOf, type RouteCall } from './route-call.ts';
import { routeCalls } from './route-calls.ts';
import { errorIn, type RouteWorld, routeWorld, until } from './route-world.ts';

noUnhandledRejections();

const isServed = (status: number) => status === 101 || (status >= 200 && status < 300);

/** What costs 1 US dollar: 60 tokens in and 40 out. */
const dear = {
  name: 'dear',
  provider: 'openai',
  model: 'gpt-4o-mini',
  price: { request_token: 1, response_token: 1 },
};
const first: RouteCall = routeCalls[0] ?? assert.fail();

/** A key that has used up what it may, by one call. */
async function spent(t: TestContext, limits: (world: RouteWorld) => Promise<JsonObject | undefined>) {
  const world = await routeWorld(t);
  await world.control.ok('POST', '/v1/model-prices', { body: dear });
  const key = await world.key(await limits(world));
  const served = await world.send(first, key);
  assert.equal(served.status, 200, served.text);
  // Replies are sent before what they have used is known.
  await until(async () => {
    const before = world.count();
    const { status } = await world.send(first, key);
    return status >= 400 && world.count() === before;
  });
  return { world, key };
}

/** What is wrong with the answers to all calls, those which the limit is for and the others. */
async function faults(world: RouteWorld, key: string, status: number, concerns: (call: RouteCall) => boolean) {
  const found: string[] = [];
  for (const call of routeCalls) {
    const before = world.count();
    const reply = await world.send(call, key);
    const asked = world.count() > before;
    const name = `${nameOf(call)}: ${reply.status} ${reply.text.slice(0, 200)}`;
    if (!concerns(call)) {
      if (!isServed(reply.status) || !asked) found.push(name);
    } else if (reply.status !== status || asked) found.push(name);
    else {
      const waits = Number(reply.headers.get('retry-after') ?? 0) > 0;
      if (waits !== (status === 429)) found.push(`${name}: retry-after ${reply.headers.get('retry-after')}`);
      errorIn(call, reply);
    }
  }
  return found;
}

const spends = ({ spends: does }: RouteCall) => does;
const every = () => true;

describe('a budget that is used up refuses, in the format of the route, and nothing is sent:', () => {
  it('every call, where requests of a key are counted', async (t) => {
    const { world, key } = await spent(t, async () => ({ usage_limits: { type: 'requests', credit_limit: 1 } }));
    assert.deepEqual(await faults(world, key, 412, every), []);
  });

  it('calls that make or keep something, where tokens of a workspace are counted, to the last one', async (t) => {
    const { world, key } = await spent(t, async ({ control, own }) => {
      const body = { usage_limits: [{ type: 'tokens', credit_limit: 100 }] };
      await control.ok('PUT', `/v1/workspaces/${own}`, { body });
      return undefined;
    });
    assert.deepEqual(await faults(world, key, 412, spends), []);
  });

  it('those, where the cost of a key is counted, and more than that was spent', async (t) => {
    const { world, key } = await spent(t, async ({ upstream }) => {
      upstream.uses({ completion_tokens: 400, total_tokens: 460 });
      return { usage_limits: { type: 'cost', credit_limit: 2 } };
    });
    assert.deepEqual(await faults(world, key, 412, spends), []);
  });

  it('those, where a policy counts the cost of each provider', async (t) => {
    const { world, key } = await spent(t, async ({ control, own }) => {
      await control.ok('POST', '/v1/policies/usage-limits', {
        body: {
          name: 'by provider',
          workspace_id: own,
          conditions: [{ key: 'workspace_id', value: own }],
          group_by: [{ key: 'virtual_key' }],
          type: 'cost',
          credit_limit: 1,
        },
      });
      return undefined;
    });
    assert.deepEqual(await faults(world, key, 412, (call) => call.spends && call.provider === 'prod'), []);
  });
});

describe('a rate limit that is reached refuses, and says when to try again:', () => {
  it('every call, where requests are counted', async (t) => {
    const rates = [{ type: 'requests', unit: 'rpw', value: 1 }];
    const { world, key } = await spent(t, async () => ({ rate_limits: rates }));
    assert.deepEqual(await faults(world, key, 429, every), []);
  });

  it('calls that make or keep something, where tokens are counted', async (t) => {
    const rates = [{ type: 'tokens', unit: 'rpw', value: 100 }];
    const { world, key } = await spent(t, async () => ({ rate_limits: rates }));
    assert.deepEqual(await faults(world, key, 429, spends), []);
  });
});

describe('an answer within a realtime session', () => {
  /** Asks for an answer, and gives the event that ends it. */
  const ask = (socket: WebSocket): Promise<JsonObject> =>
    new Promise((resolve) => {
      const look = (data: unknown) => {
        const event = asObject(parseJson(String(data))) ?? {};
        if (event.type === 'response.created') return;
        socket.off('message', look);
        resolve(event);
      };
      socket.on('message', look);
      socket.send(JSON.stringify({ type: 'response.create', event_id: 'e1' }));
    });

  it('counts under limits of its own, and is refused by an event where they are reached', async (t) => {
    const world = await routeWorld(t);
    const key = await world.key({ usage_limits: { type: 'tokens', credit_limit: 400 } });
    const url = `${world.control.url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-mini`;
    const socket = new WebSocket(url, { headers: { 'x-gw-api-key': key, 'x-gw-provider': '@prod' } });
    t.after(() => socket.terminate());
    await once(socket, 'open');
    assert.equal((await ask(socket)).type, 'response.done');
    let event: JsonObject = {};
    await until(async () => {
      event = await ask(socket);
      return event.type === 'error';
    });
    const error = asObject(event.error) ?? {};
    assert.deepEqual([error.code, error.event_id], ['budget_exhausted', 'e1']);
    assert.match(String(error.message), /400 tokens/);
  });
});
