import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { realtimePeer } from './realtime-world.ts';

const mebibyte = 1024 * 1024;
const messages = 128;

interface Memory {
  readonly rss: number;
  /** Bytes of messages that are still somewhere. */
  readonly arrayBuffers: number;
}

/** A gateway in a process of its own, which tells its memory when asked. */
async function gatewayProcess(peer: string) {
  const file = fileURLToPath(new URL('./realtime-gateway.ts', import.meta.url));
  const child = fork(file, [peer], { execArgv: ['--expose-gc'] });
  const [url] = (await once(child, 'message')) as [string];
  const memory = async (): Promise<Memory> => {
    child.send('memory');
    const [told] = (await once(child, 'message')) as [Memory];
    return told;
  };
  return { child, url, memory };
}

it('passes 128 MiB in each direction to a slow reader in the memory of a few messages', async (t) => {
  const peer = await realtimePeer(t);
  const { child, url, memory } = await gatewayProcess(peer.url);
  t.after(() => child.kill());
  const client = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=m`, { maxPayload: 0 });
  t.after(() => client.terminate());
  await once(client, 'open');
  const provider = await peer.session();
  peer.answer = () => {};
  const chunk = Buffer.alloc(mebibyte, 1);
  for (const [from, to] of [
    [client, provider],
    [provider, client],
  ] as const) {
    const before = await memory();
    const most = { rss: 0, arrayBuffers: 0 };
    const look = async () => {
      const { rss, arrayBuffers } = await memory();
      most.rss = Math.max(most.rss, rss - before.rss);
      most.arrayBuffers = Math.max(most.arrayBuffers, arrayBuffers - before.arrayBuffers);
    };
    let heard = 0;
    to.on('message', (data) => {
      heard += (data as Buffer).length;
    });
    to.pause();
    for (let count = 0; count < messages; count += 1) from.send(chunk);
    for (let looks = 0; looks < 20; looks += 1) {
      await sleep(25);
      await look();
    }
    const stalled = { ...most };
    assert.ok(heard < messages * mebibyte);
    to.resume();
    while (heard < messages * mebibyte) {
      await sleep(100);
      await look();
    }
    const shown = [stalled, most].map(({ rss, arrayBuffers }) => `${grown(rss)} (${grown(arrayBuffers)} of messages)`);
    t.diagnostic(`MiB that the gateway grew by: ${shown[0]} while nothing was read, ${shown[1]} in all`);
    assert.ok(most.rss < 80 * mebibyte, `${shown[1]}`);
    assert.ok(stalled.arrayBuffers < 16 * mebibyte, 'messages that nobody reads are not held');
  }
});

function grown(bytes: number): string {
  return (bytes / mebibyte).toFixed(1);
}
