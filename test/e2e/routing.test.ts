import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { clientError, isComplete } from '../support/client-dialects.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { chat, claude, indexOf, routed, target } from '../support/routed.ts';
import { wireError, wireErrorEvent } from '../support/wire-errors.ts';

noUnhandledRejections();

const overload = wireErrorEvent('messages', 529, 'Overloaded');

describe('fallback', () => {
  const fallback = (targets: readonly JsonObject[], strategy: JsonObject = {}) => ({
    strategy: { mode: 'fallback', ...strategy },
    targets,
  });

  for (const [name, act] of [
    ['an error of the server', { status: 500 }],
    ['a rate limit', { status: 429 }],
    ['a refusal of the key', { status: 401 }],
    ['a reply that breaks off', { body: '{', ending: 'cut', headers: { 'content-length': '99' } }],
    ['a redirect', { status: 302, body: '' }],
  ] as const) {
    it(`goes on to the next target after ${name}`, async (t) => {
      const [first, second] = [await startPeer(t), await startPeer(t)];
      first.always(act);
      const { post } = await routed(t, fallback([target(first), target(second)]));
      const reply = await post();
      assert.equal(reply.status, 200, reply.text);
      assert.equal(indexOf(reply), 'config.targets[1]');
      assert.deepEqual([first.requests.length, second.requests.length], [1, 1]);
    });
  }

  it('goes on after a timeout, an unreachable host, missing credentials and a request that cannot be translated', async (t) => {
    const [silent, last] = [await startPeer(t), await startPeer(t)];
    silent.always({ before: 'never' });
    const { post } = await routed(
      t,
      fallback([
        target(silent, { request_timeout: 50 }),
        target({ origin: 'http://127.0.0.1:1' }),
        { provider: 'openai', custom_host: `${silent.origin}/v1` },
        claude(silent, { override_params: { n: 2 } }),
        target(last),
      ]),
    );
    const reply = await post();
    assert.equal(reply.status, 200, reply.text);
    assert.equal(indexOf(reply), 'config.targets[4]');
    assert.equal(silent.requests.length, 1);
  });

  it('goes on after a stream that ends before it has said anything', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ events: ['data: [DONE]\n\n'] });
    const { post } = await routed(t, fallback([target(first), target(second)]));
    const reply = await post({ ...chat, stream: true });
    assert.deepEqual([reply.status, indexOf(reply)], [200, 'config.targets[1]']);
  });

  it('goes on after an overload that opens a stream', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ events: [overload] });
    const { post } = await routed(t, fallback([claude(first), target(second)]));
    const reply = await post({ ...chat, stream: true });
    assert.equal(reply.status, 200);
    assert.ok(isComplete('chat', reply.text));
    assert.equal(indexOf(reply), 'config.targets[1]');
  });

  it('gives the last error when every target fails', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ status: 500 });
    second.always({ status: 503, body: wireError('chat', 503, 'The last word.') });
    const { post } = await routed(t, fallback([target(first), target(second)]));
    const reply = await post();
    assert.equal(reply.status, 503);
    assert.match(clientError('chat', reply).message, /The last word/);
    assert.equal(indexOf(reply), 'config.targets[1]');
  });

  it('stops at a status that is not listed', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.next({ status: 500 }, { status: 429 });
    const { post } = await routed(t, fallback([target(first), target(second)], { on_status_codes: [429] }));
    assert.equal((await post()).status, 500);
    assert.equal((await post()).status, 200);
    assert.deepEqual([first.requests.length, second.requests.length], [2, 1]);
  });

  it('does not let one target change what the next one gets', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ status: 500 });
    const { post } = await routed(
      t,
      fallback([target(first, { override_params: { model: 'a', seed: 1 }, drop_params: ['user'] }), target(second)]),
    );
    await post({ ...chat, user: 'u' });
    assert.deepEqual(first.requests[0]?.body, { ...chat, model: 'a', seed: 1 });
    assert.deepEqual(second.requests[0]?.body, { ...chat, user: 'u' });
  });
});

describe('loadbalance', () => {
  it('chooses by weight, and never a target of weight 0', async (t) => {
    const peers = [await startPeer(t), await startPeer(t), await startPeer(t)];
    let chance = 0;
    const weights = [3, 0, 1];
    const { post } = await routed(
      t,
      {
        strategy: { mode: 'loadbalance' },
        targets: peers.map((peer, index) => target(peer, { weight: weights[index] ?? 1 })),
      },
      { random: () => chance },
    );
    for (chance of [0, 0.5, 0.74, 0.76, 0.999]) assert.equal((await post()).status, 200);
    assert.deepEqual(
      peers.map(({ requests }) => requests.length),
      [3, 0, 2],
    );
  });
});

describe('conditional', () => {
  const config = ([first, second, third]: readonly Peer[], strategy: JsonObject = {}): JsonObject => ({
    strategy: {
      mode: 'conditional',
      conditions: [
        // biome-ignore-start lint/suspicious/noThenProperty: the config's own word.
        { query: { 'metadata.plan': { $in: ['pro', 'team'] } }, then: 'first' },
        {
          query: { $and: [{ 'params.temperature': { $gt: 0.5 } }, { 'url.pathname': '/v1/chat/completions' }] },
          then: 'second',
        },
        { query: { 'params.model': { $regex: '^big-' } }, then: 'second' },
        // biome-ignore-end lint/suspicious/noThenProperty: the config's own word.
      ],
      ...strategy,
    },
    targets: [first, second, third].map((peer, index) =>
      target(peer ?? assert.fail('no peer'), { name: ['first', 'second', 'third'][index] ?? '' }),
    ),
  });

  for (const [name, body, headers, served] of [
    ['metadata', {}, { 'x-gw-metadata': '{"plan":"pro"}' }, 0],
    ['a parameter together with the path', { temperature: 0.9 }, {}, 1],
    ['a pattern', { model: 'big-1' }, {}, 1],
    ['nothing', {}, {}, 2],
  ] as const) {
    it(`chooses by ${name}`, async (t) => {
      const peers = [await startPeer(t), await startPeer(t), await startPeer(t)];
      const { post } = await routed(t, config(peers, { default: 'third' }));
      const reply = await post({ ...chat, ...body }, headers as Record<string, string>);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(indexOf(reply), `config.targets[${served}]`);
      assert.deepEqual(
        peers.map(({ requests }) => requests.length),
        [0, 1, 2].map((index) => (index === served ? 1 : 0)),
      );
    });
  }

  it('is 400 when no condition matches and there is no default', async (t) => {
    const peers = [await startPeer(t), await startPeer(t), await startPeer(t)];
    const { post } = await routed(t, config(peers));
    const reply = await post();
    assert.equal(reply.status, 400);
    assert.ok(clientError('chat', reply).message.length > 0);
  });
});

describe('a circuit breaker', () => {
  const breaking = (peers: readonly Peer[]) => ({
    strategy: { mode: 'fallback', cb_config: { failure_threshold: 2, cooldown_interval: 30_000 } },
    targets: peers.map((peer) => target(peer)),
  });

  it('passes over a target that failed too often, and tries it again after the cooldown', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    let now = 1_767_225_600_000;
    first.next({ status: 502 }, { status: 502 });
    const { post } = await routed(t, breaking([first, second]), { now: () => now });
    for (let count = 0; count < 4; count += 1) assert.equal((await post()).status, 200);
    assert.deepEqual([first.requests.length, second.requests.length], [2, 4]);
    now += 30_001;
    assert.equal(indexOf(await post()), 'config.targets[0]');
    assert.deepEqual([first.requests.length, second.requests.length], [3, 4]);
  });

  it('is bypassed when every target is out', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ status: 503 });
    second.always({ status: 503 });
    const { post } = await routed(t, breaking([first, second]), { now: () => 1_767_225_600_000 });
    for (let count = 0; count < 4; count += 1) assert.equal((await post()).status, 503);
    assert.ok(first.requests.length === 4 || second.requests.length === 4, 'somebody is still asked');
  });
});

describe('the parameters of a target', () => {
  it('are defaults, then overrides, then drops', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(
      t,
      target(peer, {
        default_params: { temperature: 0.1, seed: 1, user: 'default' },
        override_params: { model: 'chosen', seed: 2 },
        drop_params: ['user', 'metadata.inner'],
      }),
    );
    assert.equal((await post({ ...chat, temperature: 0.9, metadata: { inner: 'a', outer: 'b' } })).status, 200);
    assert.deepEqual(peer.requests[0]?.body, {
      ...chat,
      model: 'chosen',
      temperature: 0.9,
      seed: 2,
      metadata: { outer: 'b' },
    });
  });

  it('are inherited by nested targets, the nearer winning', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, {
      strategy: { mode: 'single' },
      override_params: { seed: 1, top_p: 0.5 },
      targets: [target(peer, { override_params: { seed: 2 } })],
    });
    await post();
    assert.deepEqual(peer.requests[0]?.body, { ...chat, seed: 2, top_p: 0.5 });
  });

  it('may supply the model that the client left out', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, target(peer, { override_params: { model: 'chosen' } }));
    assert.equal((await post({ messages: chat.messages })).status, 200);
    assert.equal(peer.requests[0]?.body.model, 'chosen');
  });

  it('apply to every client dialect before translation', async (t) => {
    const peer = await startPeer(t);
    const { post } = await routed(t, claude(peer, { override_params: { max_tokens: 77 } }));
    await post(chat);
    await post({ ...chat, max_tokens: 9 }, {}, '/v1/messages');
    assert.deepEqual(
      peer.requests.map(({ body }) => body.max_tokens),
      [77, 77],
    );
  });
});
