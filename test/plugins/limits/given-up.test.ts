import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { ConfigFragment } from '../../support/gateway.ts';
import { patientMs, type RedisServer, startRedis } from '../../support/redis.ts';
import { chatReply, limitedWorld } from './world.ts';

let redis: RedisServer;
before(async () => {
  redis = await startRedis();
});
after(() => redis.close());

const backends: readonly (readonly [string, () => ConfigFragment])[] = [
  ['in memory', () => ({})],
  ['in Redis', () => ({ redisUrl: redis.url, limits: { redisTimeoutMs: patientMs } })],
];

const denies = { 'default.contains': { operator: 'none', words: ['Hi'] }, deny: true };
const retried: JsonObject = { retry: { attempts: 3, on_status_codes: [446] }, output_guardrails: [denies] };
const twoTargets: JsonObject = {
  strategy: { mode: 'fallback' },
  targets: [{ provider: '@prod', output_guardrails: [denies] }, { provider: '@prod' }],
};
// 2 tokens of the question, and 98 that may be written.
const asked = { max_tokens: 98 };

for (const [where, config] of backends) {
  const withTokens = async (t: TestContext, credit_limit: number) => {
    const world = await limitedWorld(t, { config: config() });
    const { id, key } = await world.key({ usage_limits: { type: 'tokens', credit_limit } });
    const ask = (routing: JsonObject) => world.ask(key, asked, { 'x-gw-config': JSON.stringify(routing) });
    return { world, key, ask, spent: (tokens: number) => world.settled(`budget/key/${id}/tokens`, tokens) };
  };

  describe(`replies that are given up, with counts ${where}`, () => {
    for (const [what, routing] of [
      ['a retry', retried],
      ['a fallback', twoTargets],
    ] as const) {
      it(`leave no room for ${what} that no longer fits, and are charged`, async (t) => {
        const { world, ask, spent } = await withTokens(t, 250);
        world.peer.always({ body: chatReply(100, 100) });
        const reply = await ask(routing);
        assert.equal(reply.status, 412, reply.text);
        assert.equal(world.peer.requests.length, 1);
        await spent(200);
      });

      it(`are held while ${what} is under way`, async (t) => {
        const { world, key, ask, spent } = await withTokens(t, 1000);
        const held = Promise.withResolvers<void>();
        world.peer.next(
          { body: chatReply(400, 450) },
          { body: { ...chatReply(10, 10), choices: [] }, before: held.promise },
        );
        const first = ask(routing);
        await world.peer.request(1);
        // 850 are spent and some 100 set aside.
        assert.equal((await world.ask(key, asked)).status, 412);
        held.resolve();
        assert.notEqual((await first).status, 412);
        await spent(870);
      });
    }
  });
}
