import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import { createCounters, type LiveCounters } from '../../core/limits/counters.ts';
import { silentLog } from '../../core/log.ts';
import { chatReply } from '../plugins/limits/world.ts';
import type { Reply } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { patientMs, type RedisServer, startRedis } from '../support/redis.ts';
import { type Ask, type Furnished, furnish } from './control/furnish.ts';
import { childrenOf, primary } from './control/primary-process.ts';
import { askOf, firstAdminKey, freshFolder, type Running, startProcess, until } from './control/processes.ts';
import { clients, statuses, together } from './limits-world.ts';

const workers = 4;
/** Enough to meet each of them. */
const probes = 100;
const body: JsonObject = {
  model: '@prov-limited/gpt-4o-mini',
  max_tokens: 40,
  messages: [{ role: 'user', content: 'Tell me of the sea. '.repeat(4) }],
};
const centsPerToken = 0.08;
const nanoPerToken = centsPerToken * 1e7;
const weekMs = 604_800_000;

const workersOf = () => childrenOf(primary());

describe(`${clients} clients at once and ${workers} processes with one Redis`, () => {
  const closing: (() => unknown)[] = [];
  const t = { after: (close: () => unknown) => void closing.unshift(close) };
  let redis: RedisServer;
  let peer: Peer;
  let running: Running;
  let ask: Ask;
  let made: Furnished;
  let organisationId: string;
  /** Looks at the figures of Redis from outside. */
  let counters: LiveCounters;
  /** Tokens that are set aside for a request that names no person. */
  let estimate: number;

  before(async () => {
    redis = await startRedis();
    closing.unshift(() => redis.close());
    peer = await startPeer(t as never);
    running = await startProcess(t as never, {
      folder: freshFolder(t as never),
      env: {
        WORKERS: String(workers),
        REDIS_URL: redis.url,
        LIMITS_WHEN_REDIS_AWAY: 'closed',
        LIMITS_REDIS_TIMEOUT: '10000',
      },
    });
    await untilServing(workers);
    ask = askOf(running, await firstAdminKey(running));
    made = await furnish(ask, peer.origin, 'Limited');
    organisationId = String((await ask('GET', `/v1/api-keys/${made.keyId}`)).organisation_id);
    counters = createCounters({
      now: Date.now,
      log: silentLog,
      redis: { url: redis.url, whenAway: 'closed', commandTimeoutMs: patientMs },
    });
    closing.unshift(() => counters.close());
    const price = { request_token: centsPerToken, response_token: centsPerToken };
    await ask('POST', '/v1/model-prices', { name: 'p', provider: 'openai', model: 'gpt-4o-mini', price });
    estimate = await learnt();
  });
  after(async () => {
    for (const close of closing) await close();
  });

  const untilServing = (count: number) =>
    until(`${count} workers`, 60_000, () => (running.output().match(/"msg":"worker_serves"/g)?.length ?? 0) >= count);

  async function newKey(limits: JsonObject): Promise<{ readonly id: string; readonly key: string }> {
    const { id, key } = await ask('POST', '/v1/api-keys/workspace/service', {
      name: 'limited',
      workspace_id: made.workspaceId,
      scopes: ['completions.write'],
      ...limits,
    });
    return { id: String(id), key: String(key) };
  }

  const chat = (key: string, more: JsonObject = {}): Promise<Reply> =>
    running.call('POST', '/v1/chat/completions', { key, body: { ...body, ...more } });

  /** Of a connection on its way to a process that dies, nobody hears any more. */
  const patient = (key: string, more: JsonObject): Promise<Pick<Reply, 'status'>> =>
    fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': key },
      body: JSON.stringify({ ...body, ...more }),
      signal: AbortSignal.timeout(5_000),
    }).then(async (reply) => {
      await reply.arrayBuffer();
      return reply;
    });

  async function learnt(more: JsonObject = {}): Promise<number> {
    const most = 1_000_000;
    const { key } = await newKey({ rate_limits: [{ type: 'tokens', unit: 'rpw', value: most }] });
    peer.next({ body: chatReply(1, 1) });
    const reply = await chat(key, more);
    assert.equal(reply.status, 200, reply.text);
    return most - Number(reply.headers.get('x-ratelimit-remaining-tokens'));
  }

  const stateOf = async (name: string) =>
    (await counters.read(organisationId, [{ name, start: 0, durable: true }]))[0] ?? { used: -1, reserved: -1 };

  /** What the control plane shows that a person has used of a policy: what the store says, or Redis where it knows of more. */
  const shown = async (policyId: string, user: string) => {
    const { data } = await ask('GET', `/v1/policies/usage-limits/${policyId}/entities`);
    return asObjects(data).find(({ value_key: key }) => key === groupOf(user))?.current_usage;
  };
  const groupOf = (user: string) => `metadata._user:${user}`;

  /** A budget in dollars for a person, which all of the processes know of. */
  async function costPolicy(person: string, credit: number): Promise<string> {
    const rounds = Array.from({ length: 50 }, (_, round) => `${person}-${round}`);
    const { id } = await ask('POST', '/v1/policies/usage-limits', {
      name: person,
      workspace_id: made.workspaceId,
      conditions: [{ key: 'metadata._user', value: [person, ...rounds] }],
      group_by: [{ key: 'metadata._user' }],
      type: 'cost',
      credit_limit: credit,
    });
    peer.always({ body: chatReply(1, 1) });
    const small = { max_tokens: 1, messages: [{ role: 'user', content: 'x' }] };
    for (const user of rounds) {
      assert.deepEqual(statuses(await together(() => chat(made.key, { ...small, user }), probes)), { 200: probes });
      const name = `budget/policy/${id}/cost/${groupOf(user)}`;
      await until('settled', 20_000, async () => (await stateOf(name)).reserved === 0);
      if ((await stateOf(name)).used === probes * 2 * nanoPerToken) return String(id);
    }
    return assert.fail('not all processes have heard of the policy');
  }

  it('get as many requests through as the rate limit of their key allows', async () => {
    peer.always({ body: chatReply(5, 5) });
    // No week may end in the middle.
    const unit = weekMs - ((Date.now() - 4 * 86_400_000) % weekMs) > 120_000 ? 'rpw' : 'rph';
    const { key } = await newKey({ rate_limits: [{ type: 'requests', unit, value: 37 }] });
    const before = peer.requests.length;
    const replies = await together(() => chat(key));
    assert.deepEqual(statuses(replies), { 200: 37, 429: clients - 37 });
    assert.equal(peer.requests.length - before, 37);
  });

  it('get as many requests and tokens through as the budget of their key allows', async () => {
    peer.always({ body: chatReply(estimate - 1, 1) });
    for (const [type, most, each] of [
      ['requests', 23, 1],
      ['tokens', 1_000, estimate],
    ] as const) {
      const { id, key } = await newKey({ usage_limits: { type, credit_limit: most } });
      const through = Math.floor(most / each);
      assert.deepEqual(statuses(await together(() => chat(key))), { 200: through, 412: clients - through });
      const name = `budget/key/${id}/${type}`;
      await until('all is settled', 20_000, async () => (await stateOf(name)).reserved === 0);
      assert.equal((await stateOf(name)).used, through * each);
    }
  });

  it('never spend more than a policy allows, and have it settled to the last billionth', async () => {
    const estimated = await learnt({ user: 'alice' });
    const tokens = Math.floor(estimated / 2);
    const policy = await costPolicy('alice', 2);
    peer.always({ body: chatReply(tokens - 1, 1) });
    const before = peer.requests.length;
    const replies = await together(() => chat(made.key, { user: 'alice' }));
    const { 200: through = 0, 412: refused = 0 } = statuses(replies);
    assert.equal(through + refused, clients, JSON.stringify(statuses(replies)));
    assert.equal(peer.requests.length - before, through);
    const [aside, each, most] = [estimated * nanoPerToken, tokens * nanoPerToken, 2e9];
    assert.ok(through >= Math.floor(most / aside) && through <= Math.floor(most / each), `${through} were let in`);
    await until('all of it is shown', 20_000, async () => (await shown(policy, 'alice')) === (through * each) / 1e9);
    let sum = through * each;
    while ((await chat(made.key, { user: 'alice' })).status === 200) {
      sum += each;
      await until('settled', 20_000, async () => {
        const { used, reserved } = await stateOf(`budget/policy/${policy}/cost/${groupOf('alice')}`);
        return used === sum && reserved === 0;
      });
    }
    assert.ok(sum <= most && sum + aside > most, `${sum} of ${most}`);
    await until('all of it is shown', 20_000, async () => (await shown(policy, 'alice')) === sum / 1e9);
  });

  it('stay below the limit when a process is killed with requests in flight, and lose no more than those', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    peer.always({ body: chatReply(estimate - 1, 1), before: released });
    const { id, key } = await newKey({ usage_limits: { type: 'tokens', credit_limit: 6_000 } });
    const name = `budget/key/${id}/tokens`;
    const most = Math.floor(6_000 / estimate);
    const before = peer.requests.length;
    const served = running.output().match(/"msg":"worker_serves"/g)?.length ?? 0;
    const asked = together(() => chat(key).catch(() => undefined));
    await peer.request(before + most - 1);
    assert.deepEqual(await stateOf(name), { used: 0, reserved: most * estimate });
    const [victim = 0] = workersOf();
    process.kill(victim, 'SIGKILL');
    await until('it is started again', 60_000, () => {
      return (running.output().match(/"msg":"worker_serves"/g)?.length ?? 0) > served;
    });
    release();
    const replies = (await asked).filter((reply) => reply !== undefined);
    const { 200: through = 0 } = statuses(replies);
    assert.ok(through > 0 && through < most, `${through} of ${most} were answered`);
    await until('what lives is settled', 20_000, async () => (await stateOf(name)).used === through * estimate);
    // What the dead process held stays set aside until it is too old.
    assert.equal((await stateOf(name)).reserved, (most - through) * estimate);
    assert.deepEqual(statuses(await together(() => chat(key))), { 412: clients });
    assert.equal(peer.requests.length - before, most);
    assert.equal(workersOf().length, workers);
    assert.ok(!workersOf().includes(victim));
  });

  it('stay below a cost budget when processes are killed while they serve, and keep what was written', async () => {
    const policy = await costPolicy('bob', 30);
    peer.always({ body: chatReply(estimate - 1, 1) });
    const name = `budget/policy/${policy}/cost/${groupOf('bob')}`;
    const each = estimate * nanoPerToken;
    const most = Math.floor(30e9 / each);
    const before = peer.requests.length;
    const early = clients;
    assert.deepEqual(statuses(await together(() => chat(made.key, { user: 'bob' }))), { 200: early });
    await until('that is counted', 20_000, async () => (await shown(policy, 'bob')) === (early * each) / 1e9);
    let through = early;
    let killed = false;
    await together(async () => {
      for (let tries = 0; tries < 20; tries += 1) {
        const reply = await patient(made.key, { user: 'bob' }).catch(() => undefined);
        if (reply?.status === 200) through += 1;
        if (reply?.status === 412) return;
        if (killed || peer.requests.length - before < most / 2) continue;
        killed = true;
        process.kill(workersOf()[0] ?? 0, 'SIGKILL');
      }
    });
    assert.ok(killed, 'one was killed in the middle');
    const reached = peer.requests.length - before;
    assert.ok(
      reached <= most && through <= reached,
      `${reached} of ${most} reached the provider, ${through} came back`,
    );
    await until('Redis has what was answered', 20_000, async () => {
      const { used, reserved } = await stateOf(name);
      assert.ok(used + reserved <= 30e9);
      return used + reserved >= through * each && used <= reached * each;
    });
    // What the dead process had committed and not written is shown as well.
    await until('what is shown is what is enforced', 20_000, async () => {
      const { used } = await stateOf(name);
      assert.ok(used >= early * each && used <= reached * each, `${used} used of ${through} answered`);
      return Math.round(Number(await shown(policy, 'bob')) * 1e9) === used;
    });
  });

  it('end in order', async () => {
    assert.equal(await running.stop(), 0);
  });
});
