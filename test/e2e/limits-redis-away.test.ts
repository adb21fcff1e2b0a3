import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { chatReply, limitedWorld, type World } from '../plugins/limits/world.ts';
import type { Reply } from '../support/gateway.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { type Counted, clients, countersOf, statuses, together, untilUsed } from './limits-world.ts';

noUnhandledRejections();

interface Bed extends World {
  readonly redis: RedisServer;
  readonly breaker: () => readonly unknown[];
  /** Calls of Redis that waited in vain. */
  readonly waited: () => number;
}

/** Far above what Redis takes on a busy machine. */
const redisTimeoutMs = 2_000;

async function openBed(t: TestContext, whenRedisAway: 'open' | 'closed'): Promise<Bed> {
  const redis = await startRedis();
  t.after(() => redis.close());
  const limits = { whenRedisAway, redisTimeoutMs };
  const world = await limitedWorld(t, { stands: true, config: { redisUrl: redis.url, limits } });
  world.peer.always({ body: chatReply(5, 5) });
  const { log } = world.control;
  return {
    ...world,
    redis,
    breaker: () => log.filter(({ event }) => event === 'limits_breaker').map(({ fields }) => fields.state),
    waited: () => countersOf(world).waitedInVain,
  };
}

async function until(what: string, probe: () => boolean): Promise<void> {
  for (let tries = 0; !probe(); tries += 1) {
    assert.ok(tries < 1_000, `${what}: never came`);
    await sleep(20);
  }
}

const window = { type: 'requests', unit: 'rpd' };
const windowCount = (id: string): Counted => ({
  name: `rate/key/${id}/requests/rpd`,
  start: Date.UTC(2026, 10, 21),
  durable: false,
});
const budgetCount = (id: string): Counted => ({ name: `budget/key/${id}/requests`, start: 0, durable: true });
const limited = (value: number): JsonObject => ({ rate_limits: [{ ...window, value }] });

/** So many may be under way at once, and four failures let four more go. */
const mostWaiting = 256 + 4;

/**
 * Once all has ended that was asked before Redis was given up: to give rooms back the gateway asks as well, and no client waits
 * for that.
 */
async function waitedAtRest(bed: Bed): Promise<number> {
  await sleep(2 * redisTimeoutMs);
  return bed.waited();
}

type Outage = readonly [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown];
const frozen: Outage = ['answers nobody', (redis) => redis.freeze(), (redis) => redis.thaw()];
const stopped: Outage = ['is stopped', (redis) => redis.stop(), (redis) => redis.start()];

describe(`${clients} clients at once, while Redis`, () => {
  for (const [how, leave, comeBack] of [frozen, stopped]) {
    it(`${how}, are served, and counted afterwards`, async (t) => {
      const bed = await openBed(t, 'open');
      const { id, key } = await bed.key(limited(700));
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: clients });
      await untilUsed(bed, windowCount(id), clients);
      await leave(bed.redis);
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: clients });
      const waited = await waitedAtRest(bed);
      assert.ok(waited <= mostWaiting, `${waited} waited`);
      for (let wave = 0; wave < 2; wave += 1) {
        assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: clients });
      }
      assert.equal(bed.waited(), waited, 'nobody waits any more');
      // The limit holds in this process alone: it has let 600 in since.
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: 100, 429: clients - 100 });
      assert.equal(bed.waited(), waited);
      await comeBack(bed.redis);
      await until('it is used again', () => bed.breaker().at(-1) === 'closed');
      assert.deepEqual(bed.breaker(), ['open', 'closed']);
      // One that was stopped has lost what it knew of windows.
      await untilUsed(bed, windowCount(id), leave === stopped[1] ? 700 : 900);
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 429: clients });
    });

    it(`${how}, are refused at once where the operator wants that, and nothing of them is counted`, async (t) => {
      const bed = await openBed(t, 'closed');
      const { id, key } = await bed.key({ usage_limits: { type: 'requests', credit_limit: 300 } });
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: clients });
      await untilUsed(bed, budgetCount(id), clients);
      await until('it is written', () => countersOf(bed).unflushed === 0);
      const reached = bed.peer.requests.length;
      await leave(bed.redis);
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 503: clients });
      const waited = await waitedAtRest(bed);
      assert.ok(waited <= mostWaiting, `${waited} waited`);
      const replies = await together(() => bed.ask(key));
      assert.deepEqual(statuses(replies), { 503: clients });
      assert.equal(asObject(replies[0]?.json.error)?.code, 'limits_unavailable');
      assert.equal(replies[0]?.headers.get('retry-after'), '1');
      assert.equal(bed.waited(), waited, 'nobody waits any more');
      assert.equal(bed.peer.requests.length, reached, 'none has reached the provider');
      await comeBack(bed.redis);
      await until('it is used again', () => bed.breaker().at(-1) === 'closed');
      // What Redis was asked for in vain is given back, and what it lost comes out of the store.
      await untilUsed(bed, budgetCount(id), clients);
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: 100, 412: clients - 100 });
      await untilUsed(bed, budgetCount(id), 300);
    });

    it(`${how}, spend their budget once, whoever counts it`, async (t) => {
      const bed = await openBed(t, 'open');
      const { id, key } = await bed.key({ usage_limits: { type: 'requests', credit_limit: 500 } });
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: clients });
      await untilUsed(bed, budgetCount(id), clients);
      await until('it is written', () => countersOf(bed).unflushed === 0);
      await leave(bed.redis);
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: clients });
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 200: 100, 412: clients - 100 });
      await until('it is written', () => countersOf(bed).unflushed === 0);
      await comeBack(bed.redis);
      await until('it is used again', () => bed.breaker().at(-1) === 'closed');
      await untilUsed(bed, budgetCount(id), 500);
      assert.deepEqual(statuses(await together(() => bed.ask(key))), { 412: clients });
    });
  }

  it('comes and goes, are all answered, and no more than the limit in the end', async (t) => {
    const bed = await openBed(t, 'open');
    const { id, key } = await bed.key({ usage_limits: { type: 'requests', credit_limit: 2_000 } });
    let over = false;
    const asking = together(async () => {
      const replies: Reply[] = [];
      while (!over) replies.push(await bed.ask(key));
      return statuses(replies);
    });
    for (let outage = 1; outage <= 2; outage += 1) {
      bed.redis.freeze();
      await until('the breaker opens', () => bed.breaker().filter((state) => state === 'open').length === outage);
      bed.redis.thaw();
      await until('the breaker closes', () => bed.breaker().at(-1) === 'closed');
    }
    over = true;
    let through = 0;
    for (const { 200: served = 0, 412: _refused, ...others } of await asking) {
      through += served;
      assert.deepEqual(others, {});
    }
    for (let reply = await bed.ask(key); reply.status === 200; reply = await bed.ask(key)) through += 1;
    assert.ok(through >= 2_000, `${through} were let in`);
    await untilUsed(bed, budgetCount(id), through);
    assert.deepEqual(statuses(await together(() => bed.ask(key))), { 412: clients });
  });
});
