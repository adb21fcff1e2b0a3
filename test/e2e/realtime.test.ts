import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestRecord } from 'portcullis/sdk';
import { WebSocket } from 'ws';
import { type ConfigFragment, startGateway } from '../support/gateway.ts';
import { answering, done, openClient, rawRequest, realtimePeer, say, until, usage } from './realtime-world.ts';

async function world(t: TestContext, fragment: ConfigFragment = {}) {
  const peer = await realtimePeer(t);
  const gateway = await startGateway(t, {
    configs: { main: { provider: 'openai', api_key: 'sk-up', custom_host: peer.url } },
    defaultConfig: 'main',
    ...fragment,
  });
  const kept: RequestRecord[] = [];
  const { pipeline } = gateway.gateway.runtime;
  const log = pipeline.log;
  pipeline.log = (record, bodies) => {
    kept.push(record);
    log(record, bodies);
  };
  const records = (): readonly RequestRecord[] => kept;
  return { peer, gateway, records };
}

describe('a realtime session', () => {
  it('passes messages of both directions, in fragments and in binary, to the http host of the config', async (t) => {
    const { peer, gateway } = await world(t);
    const client = await openClient(
      t,
      gateway.url,
      {},
      { query: '?model=gpt-realtime&x=1&x=2', protocols: ['realtime'] },
    );
    assert.equal(client.socket.protocol, 'realtime');
    assert.equal(client.socket.extensions, '');
    assert.equal(peer.seen[0]?.url, '/v1/realtime?model=gpt-realtime&x=1&x=2');
    assert.equal(peer.seen[0]?.headers.authorization, 'Bearer sk-up');
    assert.equal(peer.seen[0]?.headers['sec-websocket-extensions'], undefined);
    client.send({ type: 'session.update', session: {} });
    assert.deepEqual(await client.next('session.update'), { type: 'session.update', session: {} });
    const bytes = once(client.socket, 'message');
    client.socket.send(Buffer.from([1, 2]), { fin: false, binary: true });
    client.socket.send(Buffer.from([3]), { fin: true, binary: true });
    const [data, binary] = await bytes;
    assert.deepEqual([[...data], binary], [[1, 2, 3], true]);
  });

  it('counts the time of an answer as time that the provider took', async (t) => {
    const { peer, gateway, records } = await world(t);
    const client = await openClient(t, gateway.url, {});
    const session = await peer.session();
    client.send({ type: 'response.create' });
    await until(() => peer.heard.some((text) => text.includes('response.create')));
    await sleep(400);
    say(session, done('r1', { usage: usage(2, 1) }));
    await client.next('response.done');
    await until(() => records().length === 1);
    const { firstByte = 0, upstream = 0 } = records()[0]?.timings ?? {};
    assert.ok(upstream >= 390, `${upstream} ms`);
    assert.ok(firstByte >= upstream && firstByte - upstream < 390, `${firstByte - upstream} ms`);
  });

  it('tells a client of the handshake as it tells one of a reply', async (t) => {
    const { gateway } = await world(t);
    const { headers } = await openClient(t, gateway.url, { 'x-gw-trace-id': 'trace-7' });
    assert.equal(headers['x-gw-trace-id'], 'trace-7');
    assert.equal(headers['x-gw-provider'], 'openai');
    assert.equal(headers['x-gw-last-used-option-index'], 'config');
    assert.equal(headers['x-gw-retry-attempt-count'], '0');
    assert.match(String(headers['x-gw-request-id']), /./);
  });

  it('keeps the order of a thousand messages while each tenth waits to be admitted', async (t) => {
    const { peer, gateway } = await world(t);
    peer.answer = (session, data) => session.send(String(data));
    const client = await openClient(t, gateway.url);
    gateway.gateway.runtime.pipeline.admit = () => sleep(Math.random() * 5);
    for (let number = 0; number < 1_000; number += 1) {
      client.send({ type: number % 10 === 0 ? 'response.create' : 'input_audio_buffer.append', number });
    }
    await until(
      () => client.told.length === 1_000,
      () => `${client.told.length} ${peer.heard.length} ${JSON.stringify(client.told.at(-1))}`,
    );
    assert.deepEqual(
      client.told.map(({ number }) => number),
      [...Array(1_000).keys()],
    );
  });

  for (const [code, reason] of [
    [1000, ''],
    [1000, 'bye'],
    [1001, 'off'],
    [1008, 'no'],
    [1011, 'oh'],
    [3000, 'x'],
    [4999, 'é'],
  ] as const) {
    it(`takes the code ${code} "${reason}" from either side to the other`, async (t) => {
      const { peer, gateway } = await world(t);
      const first = await openClient(t, gateway.url);
      const closed = once(await peer.session(0), 'close');
      first.socket.close(code, reason);
      const [told, text] = await closed;
      assert.deepEqual([told, String(text)], [code, reason]);
      const second = await openClient(t, gateway.url);
      (await peer.session(1)).close(code, reason);
      assert.deepEqual(await second.closed, { code, reason });
    });
  }

  it('passes a close without a code as one', async (t) => {
    const { peer, gateway } = await world(t);
    const first = await openClient(t, gateway.url);
    const closed = once(await peer.session(0), 'close');
    first.socket.close();
    assert.equal((await closed)[0], 1005);
    const second = await openClient(t, gateway.url);
    (await peer.session(1)).close();
    assert.equal((await second.closed).code, 1005);
  });

  it('closes the side of the provider when its client vanishes', async (t) => {
    const { peer, gateway, records } = await world(t);
    const client = await openClient(t, gateway.url);
    const closed = once(await peer.session(), 'close');
    client.socket.terminate();
    assert.equal((await closed)[0], 1001);
    await until(() => records().length === 1);
    assert.equal(records()[0]?.status, 499);
  });

  it('closes with 1011 and a reason when the provider breaks off, what it had said first', async (t) => {
    const { peer, gateway, records } = await world(t);
    const client = await openClient(t, gateway.url);
    const session = await peer.session();
    say(session, { type: 'last.words' });
    await sleep(50);
    session.terminate();
    assert.deepEqual(await client.closed, { code: 1011, reason: 'The connection to the provider broke off.' });
    assert.deepEqual(client.told, [{ type: 'last.words' }]);
    await until(() => records().length === 1);
    assert.deepEqual([records()[0]?.status, records()[0]?.error], [502, 'upstream_error']);
  });

  it('refuses messages of more than 16 MiB with 1009', async (t) => {
    const { peer, gateway } = await world(t);
    const client = await openClient(t, gateway.url);
    const closed = once(await peer.session(), 'close');
    client.socket.on('error', () => {});
    client.socket.send(Buffer.alloc(16 * 1024 * 1024 + 1));
    assert.equal((await client.closed).code, 1009);
    assert.equal((await closed)[0], 1001);
  });

  it('tells a client of 1011 where its provider sends more than is accepted', async (t) => {
    const { peer, gateway } = await world(t, { server: { customHostMaxReplyBytes: 100_000 } });
    const client = await openClient(t, gateway.url);
    (await peer.session()).send('x'.repeat(100_001));
    const { code, reason } = await client.closed;
    assert.deepEqual([code, reason], [1011, 'The provider sent what cannot be passed on.']);
  });

  it('ends with 1001 when the gateway closes, and does not wait for clients who do not answer', async (t) => {
    const { peer, gateway } = await world(t, { server: { drainTimeoutMs: 300 } });
    const polite = await openClient(t, gateway.url);
    const silent = await rawSession(gateway.url);
    await peer.session(1);
    const since = Date.now();
    await gateway.gateway.close();
    // A closing session waits for 30 s by itself.
    assert.ok(Date.now() - since < 20_000, `it took ${Date.now() - since} ms`);
    assert.deepEqual(await polite.closed, { code: 1001, reason: 'The gateway is shutting down.' });
    await until(() => peer.sessions.every(({ readyState }) => readyState === WebSocket.CLOSED));
    silent.destroy();
  });

  it('answers handshakes that are on their way when the gateway closes', async (t) => {
    const { peer, gateway } = await world(t, { server: { drainTimeoutMs: 600_000 } });
    peer.handshakes.unshift('hang');
    const answer = rawRequest(gateway.url, handshake);
    await until(() => peer.seen.length === 1);
    await gateway.gateway.close();
    assert.match(await answer, /^HTTP\/1\.1 503 [\s\S]*"code":"not_ready"/);
  });

  it('gives up the call of the provider when its client leaves during the handshake', async (t) => {
    const { peer, gateway, records } = await world(t);
    peer.handshakes.unshift('hang');
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=m`);
    client.on('error', () => {});
    await until(() => peer.seen.length === 1);
    client.terminate();
    await until(() => records().length === 1);
    assert.equal(records()[0]?.status, 499);
  });

  it('logs the session and each of its answers, in one trace', async (t) => {
    const { peer, gateway, records } = await world(t);
    peer.answer = answering(20, 10);
    const headers = { 'x-gw-metadata': '{"team":"voice"}', 'x-gw-span-id': '00000000000000aa' };
    const client = await openClient(t, gateway.url, headers);
    for (const _ of [1, 2]) {
      client.send({ type: 'response.create' });
      await client.next('response.done');
    }
    await until(() => records().length === 2);
    client.socket.close(1000);
    await until(() => records().length === 3);
    const [first, second, session] = records();
    assert.ok(first !== undefined && second !== undefined && session !== undefined);
    for (const record of [first, second, session]) {
      assert.deepEqual(
        [record.status, record.endpoint, record.provider, record.model, record.metadata, record.target, record.traceId],
        [200, 'realtime', 'openai', 'gpt-realtime', { team: 'voice' }, 'config', session.traceId],
      );
    }
    assert.equal(new Set([first.id, second.id, session.id]).size, 3);
    assert.deepEqual(first.usage, { input: 20, output: 10, total: 30 });
    assert.deepEqual(session.usage, { input: 0, output: 0, total: 0 });
    assert.equal(session.spanId, '00000000000000aa');
    assert.notEqual(first.spanId, session.spanId);
    assert.equal(first.parentSpanId, session.spanId);
    assert.equal(first.attempts?.length, 1);
  });

  it('counts what was begun and is called off when its client leaves', async (t) => {
    const { peer, gateway, records } = await world(t);
    peer.answer = (session, data) => {
      const event = JSON.parse(String(data));
      if (event.type === 'response.create') say(session, { type: 'response.created', response: { id: 'r1' } });
      if (event.type === 'response.cancel')
        say(session, done(event.response_id, { status: 'cancelled', usage: usage(5, 3) }));
    };
    const client = await openClient(t, gateway.url);
    client.send({ type: 'response.create' });
    await client.next('response.created');
    const closed = once(await peer.session(), 'close');
    client.socket.close(1000);
    await closed;
    await until(() => records().length === 2);
    assert.deepEqual(
      records().map((record) => record.usage?.total),
      [8, 0],
    );
  });

  it('names questions without a name, so that it knows which one its provider refuses', async (t) => {
    const { peer, gateway, records } = await world(t);
    peer.answer = (session, data) => {
      const { event_id } = JSON.parse(String(data));
      say(session, { type: 'error', error: { type: 'invalid_request_error', message: 'no', event_id } });
    };
    const client = await openClient(t, gateway.url);
    client.socket.send('  {"type":"response.create", "response": {}}');
    await client.next('error');
    assert.match(peer.heard[0] ?? '', /^ {2}\{"event_id":"event_[^"]+","type":"response.create", "response": \{\}\}$/);
    await until(() => records().length === 1);
    assert.equal(records()[0]?.status, 400);
  });
});

const handshake = [
  'GET /v1/realtime?model=gpt-realtime HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

/** A client that never answers the closing handshake. */
async function rawSession(url: string) {
  const { connect } = await import('node:net');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(handshake);
  await once(socket, 'data');
  socket.pause();
  return socket;
}
