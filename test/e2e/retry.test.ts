import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from 'portcullis/sdk';
import { startGateway } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { chat, retriesOf, routed, target } from '../support/routed.ts';

noUnhandledRejections();

describe('retry', () => {
  const retrying = (peer: Peer, retry: JsonObject) => target(peer, { retry });

  it('tries again with doubled waits, half of each left to chance', async (t) => {
    const peer = await startPeer(t);
    peer.next({ status: 429 }, { status: 500 }, { status: 503 });
    const { post, slept } = await routed(t, retrying(peer, { attempts: 3 }));
    const reply = await post();
    assert.equal(reply.status, 200);
    assert.equal(retriesOf(reply), '3');
    assert.deepEqual(slept, [750, 1500, 3000]);
  });

  it('says -1 when all tries failed, and does not wait after the last', async (t) => {
    const peer = await startPeer(t);
    peer.always({ status: 500 });
    const { post, slept } = await routed(t, retrying(peer, { attempts: 2 }));
    const reply = await post();
    assert.deepEqual([reply.status, retriesOf(reply), peer.requests.length, slept.length], [500, '-1', 3, 2]);
  });

  for (const [name, act, calls] of [
    ['a success', {}, 1],
    ['a status that is not listed', { status: 400 }, 1],
    [
      'an overload that opens a stream',
      { events: ['data: {"error":{"message":"Overloaded","type":"overloaded_error","param":null,"code":null}}\n\n'] },
      2,
    ],
  ] as const) {
    it(`makes ${calls - 1} retries for ${name}`, async (t) => {
      const peer = await startPeer(t);
      peer.next(act);
      const { post } = await routed(t, retrying(peer, { attempts: 1 }));
      await post({ ...chat, stream: true });
      assert.equal(peer.requests.length, calls);
    });
  }

  it('obeys the list of its own', async (t) => {
    const peer = await startPeer(t);
    peer.next({ status: 404 }, { status: 500 });
    const { post } = await routed(t, retrying(peer, { attempts: 3, on_status_codes: [404] }));
    const reply = await post();
    assert.deepEqual([reply.status, retriesOf(reply)], [500, '1']);
  });

  const now = Date.parse('2026-01-01T00:00:00Z');
  for (const [headers, wait] of [
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after-ms': '120', 'retry-after': '3' }, 120],
    [{ 'x-ms-retry-after-ms': '80' }, 80],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9000],
    [{ 'retry-after': 'soon' }, 750],
  ] as const) {
    it(`waits as long as the provider asks: ${JSON.stringify(headers)}`, async (t) => {
      const peer = await startPeer(t);
      peer.next({ status: 429, headers });
      const { post, slept } = await routed(t, retrying(peer, { attempts: 1, use_retry_after_header: true }), {
        now: () => now,
      });
      assert.equal((await post()).status, 200);
      assert.deepEqual(slept, [wait]);
    });
  }

  it('counts the pause as time of the provider, not as its own', async (t) => {
    const peer = await startPeer(t);
    peer.next({ status: 429 });
    const pauseMs = 200;
    const { post } = await routed(t, retrying(peer, { attempts: 1 }), { sleep: () => delay(pauseMs) });
    const { headers } = await post(chat, { 'x-gw-timing': 'true' });
    const [, upstream] = /upstream;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '') ?? [];
    // Timers may come a part of a millisecond early.
    assert.ok(Number(upstream) >= pauseMs - 1, `${upstream} ms`);
  });

  it('takes no notice of what the provider asks unless the config says so', async (t) => {
    const peer = await startPeer(t);
    peer.next({ status: 429, headers: { 'retry-after': '3' } });
    const { post, slept } = await routed(t, retrying(peer, { attempts: 1 }));
    await post();
    assert.deepEqual(slept, [750]);
  });

  it('gives up at once where the provider asks for more than a minute', async (t) => {
    const peer = await startPeer(t);
    peer.always({ status: 429, headers: { 'retry-after': '61' } });
    const { post, slept } = await routed(t, retrying(peer, { attempts: 3, use_retry_after_header: true }));
    const reply = await post();
    assert.deepEqual([reply.status, retriesOf(reply), slept.length, peer.requests.length], [429, '-1', 0, 1]);
  });

  it('comes before fallback: a target is used up first', async (t) => {
    const [first, second] = [await startPeer(t), await startPeer(t)];
    first.always({ status: 500 });
    const { post } = await routed(t, {
      strategy: { mode: 'fallback' },
      retry: { attempts: 2 },
      targets: [target(first), target(second)],
    });
    assert.equal(retriesOf(await post()), '0');
    assert.deepEqual([first.requests.length, second.requests.length], [3, 1]);
  });

  it('ends with the client that waits for it', async (t) => {
    const peer = await startPeer(t);
    peer.always({ status: 500 });
    const sleeping = Promise.withResolvers<AbortSignal | undefined>();
    const gateway = await startGateway(
      t,
      { configs: { main: retrying(peer, { attempts: 5 }) }, defaultConfig: 'main' },
      {
        sleep: (_, signal) =>
          new Promise((_resolve, reject) => {
            sleeping.resolve(signal);
            signal?.addEventListener('abort', () => reject(signal.reason));
          }),
      },
    );
    const controller = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const sent = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(chat),
      signal: controller.signal,
    });
    await sleeping.promise;
    controller.abort();
    await assert.rejects(sent, { name: 'AbortError' });
    const { fields } = await gateway.logged((line) => line.event === 'request');
    assert.deepEqual([fields.status, peer.requests.length], [499, 1]);
  });
});
