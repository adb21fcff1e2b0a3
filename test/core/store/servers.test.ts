import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { mariaDbMissing } from '../../support/mariadb.ts';
import { redisMissing, startRedis } from '../../support/redis.ts';

async function isOpen(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  const open = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return open;
}

describe('the private servers of the tests', () => {
  for (const [name, missing] of [
    ['mariadb', mariaDbMissing],
    ['redis', redisMissing],
  ] as const) {
    it(`end with the process that started them: ${name}, frozen, and its starter killed`, {
      skip: missing ?? false,
    }, async () => {
      const starter = fork(join(import.meta.dirname, 'hold-servers.ts'), [name], { execArgv: [] });
      const [port] = (await once(starter, 'message')) as [number];
      assert.ok(await isOpen(port));
      starter.kill('SIGKILL');
      await once(starter, 'exit');
      for (const end = performance.now() + 10_000; (await isOpen(port)) && performance.now() < end; ) await sleep(20);
      assert.equal(await isOpen(port), false);
    });
  }

  it('freeze, thaw, stop and start: redis', { skip: redisMissing ?? false }, async () => {
    const server = await startRedis();
    const client = new Redis(server.port, '127.0.0.1', { commandTimeout: 200, maxRetriesPerRequest: 0 });
    client.on('error', () => {});
    assert.equal(await client.ping(), 'PONG');
    server.freeze();
    await assert.rejects(client.ping(), /timed out/i);
    server.thaw();
    assert.equal(await client.ping(), 'PONG');
    await server.stop();
    assert.equal(await isOpen(server.port), false);
    await server.start();
    assert.equal(await isOpen(server.port), true);
    client.disconnect();
    await server.close();
  });
});
