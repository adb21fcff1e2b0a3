import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { Session } from '../../../core/realtime/session.ts';
import type { SessionEnd, Turns } from '../../../core/realtime/turns.ts';

interface Pair {
  /** On the side of the session. */
  readonly near: WebSocket;
  readonly far: WebSocket;
}

async function pair(t: TestContext): Promise<Pair> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  const near = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { perMessageDeflate: false });
  const [[far]] = await Promise.all([once(server, 'connection'), once(near, 'open')]);
  t.after(() => {
    near.terminate();
    far.terminate();
    server.close();
  });
  return { near, far };
}

async function world(t: TestContext, asked: Turns['asked'] = async () => undefined) {
  const client = await pair(t);
  const provider = await pair(t);
  const ends: SessionEnd[] = [];
  const closed: string[] = [];
  const failures: unknown[] = [];
  const turns = {
    asked,
    isWaiting: false,
    running: [],
    begun: () => undefined,
    done: () => undefined,
    close: (end: string) => closed.push(end),
  } as unknown as Turns;
  const session = new Session({
    client: client.near,
    upstream: provider.near,
    turns,
    newId: () => 'id',
    failed: (error) => failures.push(error),
    done: (end) => ends.push(end),
  });
  return { client, provider, session, ends, closed, failures };
}

describe('a session', () => {
  it('gives up whoever is not heard between two beats, and keeps those who answer', async (t) => {
    const { client, provider, session, ends } = await world(t);
    for (let beat = 0; beat < 3; beat += 1) {
      const heard = Promise.all([client, provider].map(({ near }) => once(near, 'pong')));
      session.beat();
      await heard;
    }
    assert.equal(client.near.readyState, WebSocket.OPEN);
    client.far.pause();
    const closed = once(provider.far, 'close');
    const heard = once(provider.near, 'pong');
    session.beat();
    await heard;
    session.beat();
    assert.equal((await closed)[0], 1001);
    assert.deepEqual(ends, ['left']);
  });

  it('tells its client when the provider is not heard any more', async (t) => {
    const { client, provider, session } = await world(t);
    provider.far.pause();
    const closed = once(client.far, 'close');
    const heard = once(client.near, 'pong');
    session.beat();
    await heard;
    session.beat();
    assert.equal((await closed)[0], 1011);
  });

  it('ends with what failed within the gateway, and tells nobody what it was', async (t) => {
    const { client, provider, failures, ends, closed } = await world(t, () => Promise.reject(new Error('secret')));
    const told = once(client.far, 'close');
    const gone = once(provider.far, 'close');
    client.far.send('{"type":"response.create"}');
    const [code, reason] = await told;
    assert.deepEqual([code, String(reason)], [1011, 'The gateway failed.']);
    await gone;
    assert.equal(failures.length, 1);
    assert.deepEqual([ends, closed], [['broken'], ['left']]);
  });

  it('ends at once over a connection that has broken before it began', async (t) => {
    const client = await pair(t);
    const provider = await pair(t);
    provider.near.terminate();
    await once(provider.near, 'close');
    const ends: SessionEnd[] = [];
    const turns = { close: () => {}, running: [], isWaiting: false } as unknown as Turns;
    const told = once(client.far, 'close');
    new Session({
      client: client.near,
      upstream: provider.near,
      turns,
      newId: () => 'id',
      failed: (error) => assert.fail(String(error)),
      done: (end) => ends.push(end),
    });
    assert.equal((await told)[0], 1011);
    assert.deepEqual(ends, ['broken']);
  });

  it('does not read a client whose question waits, beyond what has come already', async (t) => {
    let admit = () => {};
    const { client, provider } = await world(
      t,
      () =>
        new Promise((resolve) => {
          admit = () => resolve(undefined);
        }),
    );
    const heard: string[] = [];
    provider.far.on('message', (data) => heard.push(String(data).slice(0, 60)));
    client.far.send('{"type":"response.create"}');
    const chunk = Buffer.alloc(1024 * 1024);
    for (let count = 0; count < 30; count += 1) client.far.send(chunk);
    await sleep(300);
    assert.ok(client.far.bufferedAmount > 15 * chunk.length, `${client.far.bufferedAmount} wait at the client`);
    assert.equal(heard.length, 0);
    admit();
    for (let tries = 0; heard.length < 31 && tries < 3_000; tries += 1) await sleep(10);
    assert.equal(heard.length, 31);
    assert.match(heard[0] ?? '', /response\.create/);
  });
});
