import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { LedgerSettings } from '../../core/ledger/settings.ts';
import { chatReply, limitedWorld, messages, type World } from '../plugins/limits/world.ts';
import type { ConfigFragment } from '../support/gateway.ts';
import { recordedStream } from '../support/recordings.ts';
import { patientMs, type RedisServer, startRedis } from '../support/redis.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { clientGone } from './client-gone.ts';
import { clients, settledState, statuses, together, untilUsed } from './limits-world.ts';

noUnhandledRejections();

interface Bed extends World {
  readonly secret: string;
  /** Waits until so many requests have settled, and have been counted as requests. */
  settledOnce(requests?: number): Promise<void>;
  /** What has been used of the three budgets that each request is held against, once nothing is set aside. */
  used(): Promise<{ readonly requests: number; readonly tokens: number; readonly cost: number }>;
}

const nanoPerToken = 1_000;

/** A key with a budget of tokens, in a workspace that has one of requests, over a provider with one of cost. */
async function openBed(t: TestContext, config: ConfigFragment = {}): Promise<Bed> {
  const world = await limitedWorld(t, {
    stands: true,
    // A client who leaves opens a connection for the next time, which would be waited for at the end.
    config: { ...config, server: { drainTimeoutMs: 200 } },
  });
  const { control, workspaceId } = world;
  await control.ok('POST', '/v1/model-prices', {
    body: {
      name: 'of the test',
      provider: 'openai',
      model: 'gpt-4o-mini',
      price: { request_token: nanoPerToken / 1e7, response_token: nanoPerToken / 1e7 },
    },
  });
  await control.ok('PUT', `/v1/workspaces/${workspaceId}`, {
    body: { usage_limits: [{ type: 'requests', credit_limit: 1_000 }] },
  });
  const query = `workspace_id=${workspaceId}`;
  await control.ok('PUT', `/v1/providers/prod?${query}`, {
    body: { usage_limits: { type: 'cost', credit_limit: 10 } },
  });
  const { id: providerId } = await control.ok('GET', `/v1/providers/prod?${query}`);
  const { id, key } = await world.key({ usage_limits: { type: 'tokens', credit_limit: 1_000_000 } });
  const requestCount = { name: `budget/workspace/${workspaceId}/requests`, start: 0, durable: true };
  const of = (name: string) => settledState(world, { name, start: 0, durable: true });
  return {
    ...world,
    secret: key,
    settledOnce: (requests = 1) => untilUsed(world, requestCount, requests),
    used: async () => ({
      requests: await settledState(world, requestCount),
      tokens: await of(`budget/key/${id}/tokens`),
      cost: await of(`budget/provider/${providerId}/cost`),
    }),
  };
}

const counted = (requests: number, tokens: number) => ({ requests, tokens, cost: tokens * nanoPerToken });

const events = recordedStream('chat', 'text');
const said = events.slice(0, 4);

/** Asks for a stream, reads some of it, and leaves; then the provider says the rest. */
async function leave({ control, peer, secret }: Bed): Promise<void> {
  const { promise: release, resolve: goOn } = Promise.withResolvers<void>();
  peer.next({ events: said, ending: 'stall', release, rest: events.slice(said.length) });
  const gone = clientGone(control.url);
  const leaving = new AbortController();
  const reply = await fetch(`${control.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gw-api-key': secret },
    body: JSON.stringify({ model: '@prod/gpt-4o-mini', messages, stream: true }),
    signal: leaving.signal,
  });
  assert.equal(reply.status, 200);
  await reply.body?.getReader().read();
  leaving.abort();
  await gone;
  goOn();
}

const backends = ['memory', 'Redis'] as const;
const patient = { whenRedisAway: 'closed', redisTimeoutMs: patientMs } as const;

for (const backend of backends) {
  describe(`what a request has used, counted in ${backend},`, () => {
    let redis: RedisServer | undefined;
    before(async () => {
      if (backend === 'Redis') redis = await startRedis();
    });
    after(() => redis?.close());
    const open = (t: TestContext, config: ConfigFragment = {}) =>
      openBed(t, { ...config, ...(redis === undefined ? {} : { redisUrl: redis.url, limits: patient }) });
    const ledger = (onDisconnect: LedgerSettings['onDisconnect']) => ({ ledger: { askUsage: true, onDisconnect } });

    it('is what its client was sent, when that one has left a stream', async (t) => {
      const bed = await open(t, ledger('count'));
      await leave(bed);
      await bed.settledOnce();
      const { requests, tokens, cost } = await bed.used();
      // The question counts 9 tokens, and a part of "Hello! How can I assist you today?" was read.
      assert.ok(tokens >= 9 && tokens <= 18, `${tokens} tokens`);
      assert.deepEqual({ requests, tokens, cost }, counted(1, tokens));
    });

    it('is what the provider counts, when its client has left and answers are drained', async (t) => {
      const bed = await open(t, ledger('drain'));
      await leave(bed);
      await bed.settledOnce();
      assert.deepEqual(await bed.used(), counted(1, 29));
    });

    it('is settled for each of many clients who leave at once', async (t) => {
      const bed = await open(t, ledger('drain'));
      const { promise: release, resolve: goOn } = Promise.withResolvers<void>();
      bed.peer.always({ events: said, ending: 'stall', release, rest: events.slice(said.length) });
      const leaving = new AbortController();
      await together(async () => {
        const reply = await fetch(`${bed.control.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-gw-api-key': bed.secret },
          body: JSON.stringify({ model: '@prod/gpt-4o-mini', messages, stream: true }),
          signal: leaving.signal,
        });
        assert.equal(reply.status, 200);
        await reply.body?.getReader().read();
      });
      leaving.abort();
      goOn();
      await bed.settledOnce(clients);
      assert.deepEqual(await bed.used(), counted(clients, clients * 29));
    });

    it('is a request without tokens, when a guardrail denies it', async (t) => {
      const bed = await open(t);
      const { ask, secret, peer } = bed;
      const guard = { 'default.contains': { operator: 'none', words: ['Hello'] }, deny: true };
      const config = { provider: '@prod', input_guardrails: [guard] };
      const reply = await ask(secret, {}, { 'x-gw-config': JSON.stringify(config) });
      assert.equal(reply.status, 446, reply.text);
      await bed.settledOnce();
      assert.deepEqual([await bed.used(), peer.requests.length], [counted(1, 0), 0]);
    });

    it('is all that the provider has counted, when a guardrail denies its reply', async (t) => {
      const bed = await open(t);
      const { ask, secret, peer } = bed;
      peer.next({ body: chatReply(20, 22) });
      const guard = { 'default.contains': { operator: 'none', words: ['Hi'] }, deny: true };
      const config = { provider: '@prod', output_guardrails: [guard] };
      const reply = await ask(secret, {}, { 'x-gw-config': JSON.stringify(config) });
      assert.equal(reply.status, 446, reply.text);
      await bed.settledOnce();
      assert.deepEqual(await bed.used(), counted(1, 42));
    });

    it('is all that providers have counted, when a guardrail denies replies and something else is tried', async (t) => {
      const bed = await open(t);
      const { ask, secret, peer } = bed;
      const guard = { 'default.contains': { operator: 'none', words: ['Hi'] }, deny: true };
      const denied = { provider: '@prod', output_guardrails: [guard] };
      const codes = { on_status_codes: [446] };
      const settings = [
        { ...denied, retry: { attempts: 2, ...codes } },
        { strategy: { mode: 'fallback', ...codes }, targets: [denied, denied, { provider: '@prod' }] },
      ];
      let tokens = 0;
      for (const [index, config] of settings.entries()) {
        peer.next({ body: chatReply(20, 20) }, { body: chatReply(7, 8) }, { body: chatReply(30, 31) });
        const reply = await ask(secret, {}, { 'x-gw-config': JSON.stringify(config) });
        assert.equal(reply.status, index === 0 ? 446 : 200, reply.text);
        await bed.settledOnce(index + 1);
        tokens += 40 + 15 + 61;
        assert.deepEqual(await bed.used(), counted(index + 1, tokens));
      }
    });

    it('is what providers have counted, when a reply was denied and the next target failed', async (t) => {
      const bed = await open(t);
      const { ask, secret, peer } = bed;
      peer.next({ body: chatReply(20, 20) }, { status: 500, body: { error: { message: 'no' } } });
      const guard = { 'default.contains': { operator: 'none', words: ['Hi'] }, deny: true };
      const targets = [{ provider: '@prod', output_guardrails: [guard] }, { provider: '@prod' }];
      const config = { strategy: { mode: 'fallback', on_status_codes: [446] }, targets };
      const reply = await ask(secret, {}, { 'x-gw-config': JSON.stringify(config) });
      assert.equal(reply.status, 500, reply.text);
      await bed.settledOnce();
      assert.deepEqual(await bed.used(), counted(1, 40));
    });

    it('is that of the target that served, after others failed', async (t) => {
      const bed = await open(t);
      const { ask, secret, peer } = bed;
      const failure = { status: 500, body: { error: { message: 'no' } } };
      peer.next(failure, failure, { body: chatReply(7, 8) });
      const target = { provider: '@prod' };
      const config = { strategy: { mode: 'fallback' }, targets: [target, target, target] };
      const reply = await ask(secret, {}, { 'x-gw-config': JSON.stringify(config) });
      assert.equal(reply.status, 200, reply.text);
      await bed.settledOnce();
      assert.deepEqual([await bed.used(), peer.requests.length], [counted(1, 15), 3]);
    });

    it('is nothing, when all targets failed', async (t) => {
      const bed = await open(t);
      const { ask, secret, peer } = bed;
      peer.always({ status: 500, body: { error: { message: 'no' } } });
      const target = { provider: '@prod' };
      const config = { strategy: { mode: 'fallback' }, targets: [target, target] };
      const headers = { 'x-gw-config': JSON.stringify(config) };
      assert.deepEqual(statuses(await together(() => ask(secret, {}, headers), 20)), { 500: 20 });
      await bed.settledOnce(0);
      assert.deepEqual(await bed.used(), counted(0, 0));
    });

    for (const [what, checks, status] of [
      ['comes out of the cache', {}, 200],
      [
        'comes out of the cache and a guardrail denies it',
        { output_guardrails: [{ 'default.contains': { words: ['Hi'], operator: 'none' }, deny: true }] },
        446,
      ],
    ] as const) {
      it(`is a request without tokens, when the reply ${what}`, async (t) => {
        const bed = await open(t);
        const { ask, secret, peer } = bed;
        peer.always({ body: chatReply(20, 22) });
        const config = { provider: '@prod', cache: { mode: 'simple' }, ...checks };
        const headers = { 'x-gw-config': JSON.stringify(config) };
        const found: (string | null)[] = [];
        while (found.at(-1) !== 'HIT') {
          const reply = await ask(secret, {}, headers);
          assert.equal(reply.status, status, reply.text);
          found.push(reply.headers.get('x-gw-cache-status'));
          assert.ok(found.length < 50, found.join());
        }
        await bed.settledOnce(found.length);
        assert.deepEqual(await bed.used(), counted(found.length, peer.requests.length * 42));
        assert.equal(peer.requests.length, found.length - 1);
      });
    }
  });
}
