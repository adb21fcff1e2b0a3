import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientRoutes, isComplete, streamedText } from '../support/client-dialects.ts';
import { expectedOf } from '../support/expected.ts';
import { startGateway, testConfig } from '../support/gateway.ts';
import { pairings, servedOnly } from '../support/pairings.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const toPeer = { provider: 'openai', wire: 'chat' } as const;
const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };

interface OpenStream {
  /** What has arrived so far, at least one chunk. */
  readonly begun: string;
  /** The rest, when the stream has ended. */
  rest(): Promise<string>;
  leave(): void;
}

/** Opens a stream and resolves when its first bytes are here. */
async function openStream(url: string, body: object): Promise<OpenStream> {
  const controller = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: controller.signal,
  });
  assert.equal(response.status, 200);
  const reader = (response.body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader.read();
  return {
    begun: first.value ?? '',
    rest: async () => {
      let text = first.value ?? '';
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
      return text;
    },
    leave: () => {
      reader.read().catch(() => {});
      controller.abort();
    },
  };
}

describe('a client that leaves', () => {
  for (const pairing of pairings) {
    it(`ends the call to the provider in the middle of a stream: ${pairing.title}`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ upTo: 2, ending: 'stall' });
      const gateway = await startGateway(t, servedOnly(pairing, peer));
      const stream = await openStream(gateway.url + pairing.path, pairing.body('model-1', true));
      stream.leave();
      await (await peer.request(0)).abandoned;
      const { fields } = await gateway.logged((line) => line.event === 'request');
      assert.deepEqual([fields.status, fields.error], [499, 'client_closed']);
    });
  }

  it('ends the call before the provider has said anything', async (t) => {
    const peer = await startPeer(t);
    peer.always({ before: 'never' });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const controller = new AbortController();
    const reply = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chat),
      signal: controller.signal,
    });
    const request = await peer.request(0);
    controller.abort();
    await assert.rejects(reply, { name: 'AbortError' });
    await request.abandoned;
    const { fields } = await gateway.logged((line) => line.event === 'request');
    assert.equal(fields.status, 499);
  });

  it('is not replaced by a fallback', async (t) => {
    const [peer, second] = [await startPeer(t), await startPeer(t)];
    peer.always({ before: 'never' });
    const target = (origin: string) => ({ provider: 'openai', api_key: 'k', custom_host: `${origin}/v1` });
    const configs = { main: { strategy: { mode: 'fallback' }, targets: [target(peer.origin), target(second.origin)] } };
    const gateway = await startGateway(t, { configs, defaultConfig: 'main' });
    const controller = new AbortController();
    const reply = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chat),
      signal: controller.signal,
    });
    await peer.request(0);
    controller.abort();
    await assert.rejects(reply, { name: 'AbortError' });
    await gateway.logged((line) => line.event === 'request');
    assert.equal(second.requests.length, 0);
  });

  it('frees the connections that it held', async (t) => {
    const peer = await startPeer(t);
    peer.always({ upTo: 2, ending: 'stall' });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => openStream(`${gateway.url}/v1/chat/completions`, { ...chat, stream: true })),
    );
    assert.equal(await peer.sockets(), 20);
    for (const stream of streams) stream.leave();
    await Promise.all(peer.requests.map(({ abandoned }) => abandoned));
    assert.equal(await peer.sockets(), 0);
  });
});

describe('a gateway that stops', () => {
  it('lets a running stream finish, and takes no new connection', async (t) => {
    const peer = await startPeer(t);
    const release = Promise.withResolvers<void>();
    peer.always((request) => (request.body.user === 'slow' ? { before: release.promise } : {}));
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const slow = gateway.post('/v1/chat/completions', { ...chat, stream: true, user: 'slow' });
    await peer.request(0);
    const closed = gateway.gateway.close();
    await assert.rejects(fetch(`${gateway.url}/v1/health`));
    release.resolve();
    const reply = await slow;
    assert.equal(streamedText('chat', reply.text), expectedOf('chat', 'text', true).text);
    assert.ok(isComplete('chat', reply.text));
    await closed;
    assert.equal(peer.requests.length, 1);
  });

  it('finishes a stream that had begun', async (t) => {
    const peer = await startPeer(t);
    const release = Promise.withResolvers<void>();
    peer.always({ upTo: 3, ending: 'stall', release: release.promise });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const stream = await openStream(`${gateway.url}/v1/chat/completions`, { ...chat, stream: true });
    const closed = gateway.gateway.close();
    release.resolve();
    assert.match(await stream.rest(), /Hello/);
    await closed;
  });

  it('waits no longer than it may', async (t) => {
    const peer = await startPeer(t);
    peer.always({ upTo: 2, ending: 'stall' });
    const gateway = await startGateway(t, { ...servedOnly(toPeer, peer), server: { drainTimeoutMs: 100 } });
    const stream = await openStream(`${gateway.url}/v1/chat/completions`, { ...chat, stream: true });
    await gateway.gateway.close();
    await assert.rejects(stream.rest());
    await peer.requests[0]?.abandoned;
  });

  it('may be stopped twice', async (t) => {
    const { gateway } = await startGateway(t);
    await Promise.all([gateway.close(), gateway.close()]);
  });
});

describe('a reload', () => {
  it('leaves a running stream on the old config and takes the next request to the new one', async (t) => {
    const [before, after] = [await startPeer(t), await startPeer(t)];
    const release = Promise.withResolvers<void>();
    before.always({ upTo: 3, ending: 'stall', release: release.promise });
    const gateway = await startGateway(t, servedOnly(toPeer, before));
    const stream = await openStream(`${gateway.url}/v1/chat/completions`, { ...chat, stream: true });
    await gateway.gateway.reload(testConfig(servedOnly(toPeer, after)));
    const next = await gateway.post('/v1/chat/completions', chat);
    assert.deepEqual([next.status, before.requests.length, after.requests.length], [200, 1, 1]);
    release.resolve();
    assert.match(await stream.rest(), /Hello/);
  });

  it('of a config that is at fault changes nothing', async (t) => {
    const peer = await startPeer(t);
    const fragment = servedOnly(toPeer, peer);
    const gateway = await startGateway(t, fragment);
    await assert.rejects(
      gateway.gateway.reload(
        testConfig({ ...fragment, configs: { main: { strategy: { mode: 'fallbak' }, targets: [] } } }),
      ),
      { code: 'invalid_config' },
    );
    await assert.rejects(
      gateway.gateway.reload(testConfig({ providers: { p: { provider: 'opennai', models: [], settings: {} } } })),
      { code: 'invalid_config' },
    );
    assert.equal((await gateway.post('/v1/chat/completions', chat)).status, 200);
  });

  for (const { dialect, path, body } of clientRoutes) {
    it(`loses no request under load: ${dialect}`, async (t) => {
      const config = testConfig({ configs: { echo: { provider: 'echo' } }, defaultConfig: 'echo' });
      const gateway = await startGateway(t, config);
      const asks = Array.from({ length: 60 }, async () => (await gateway.post(path, body('echo'))).status);
      for (let round = 0; round < 5; round += 1) await gateway.gateway.reload(config);
      assert.deepEqual(new Set(await Promise.all(asks)), new Set([200]));
    });
  }
});
