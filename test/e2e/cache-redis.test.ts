import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { cachedGateway, statusOf, withCache } from '../plugins/cache/serving.ts';
import { says } from '../plugins/guardrails/guarded.ts';
import { type Reply, startGateway } from '../support/gateway.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

describe('two gateways with one Redis', () => {
  let redis: RedisServer;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.close());

  async function started(t: TestContext) {
    const fragment = { ...withCache, redisUrl: redis.url };
    const here = await cachedGateway(t, fragment);
    const there = await startGateway(t, fragment);
    const headers = { 'x-gw-config': JSON.stringify(target(here.peer, { cache: 'simple' })) };
    const from =
      (gateway: Pick<typeof there, 'post'>) =>
      (body: JsonObject): Promise<Reply> =>
        gateway.post('/v1/chat/completions', body, headers);
    return { peer: here.peer, here: from(here), there: from(there) };
  }

  /** A write is not waited for, and neither is a connection that is being made. */
  async function untilHit(ask: () => Promise<Reply>): Promise<Reply> {
    for (;;) {
      const reply = await ask();
      assert.equal(reply.status, 200, reply.text);
      if (statusOf(reply) === 'HIT') return reply;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  it('share what either of them has kept', async (t) => {
    const { here, there, peer } = await started(t);
    // Until both are connected.
    await untilHit(() => there(says('other')));
    const kept = await untilHit(() => here(says('shared')));
    const asked = peer.requests.length;
    const found = await there(says('shared'));
    assert.deepEqual([statusOf(found), found.text, peer.requests.length], ['HIT', kept.text, asked]);
  });

  it('answer from the provider while it is frozen', async (t) => {
    const { here, peer } = await started(t);
    await untilHit(() => here(says('frozen')));
    const asked = peer.requests.length;
    redis.freeze();
    try {
      for (let request = 0; request < 10; request += 1) {
        const reply = await here(says('frozen'));
        assert.deepEqual([reply.status, statusOf(reply)], [200, 'MISS']);
      }
      assert.equal(peer.requests.length, asked + 10);
    } finally {
      redis.thaw();
    }
    await untilHit(() => here(says('frozen')));
  });
});
