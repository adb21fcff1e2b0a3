import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { checkWorkers } from '../../../core/cli/workers.ts';
import { childrenOf, primary } from '../../e2e/control/primary-process.ts';
import { askOf, firstAdminKey, freshFolder, type Running, startProcess, until } from '../../e2e/control/processes.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';

let redis: RedisServer;
before(async () => {
  redis = await startRedis();
});
after(() => redis.close());

const env = (rest: Readonly<Record<string, string>> = {}) => ({ WORKERS: '2', REDIS_URL: redis.url, ...rest });

/** Waits until so many workers have begun to serve since the start. */
function untilServing({ output }: Pick<Running, 'output'>, count: number): Promise<unknown> {
  return until(`${count} workers`, 20_000, () => (output().match(/"msg":"worker_serves"/g)?.length ?? 0) >= count);
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The status of an answer on a connection of its own, or what ended that. */
async function statusOf(url: string): Promise<unknown> {
  const asked = get(url, { agent: false, timeout: 20_000 }, (answer) => answer.resume());
  asked.on('timeout', () => asked.destroy(new Error('no answer')));
  return once(asked, 'response').then(
    ([{ statusCode }]) => statusCode,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

describe('several workers', () => {
  it('need a Redis to count in, and say so', async (t) => {
    assert.throws(() => checkWorkers(2, undefined), {
      code: 'invalid_config',
      message: /WORKERS.*REDIS_URL/,
    });
    checkWorkers(1, undefined);
    checkWorkers(64, 'redis://127.0.0.1');
    await assert.rejects(startProcess(t, { folder: freshFolder(t), env: { WORKERS: '2' } }), /WORKERS.*REDIS_URL/);
  });

  it('serve one port and one embedded database, and drain when they are told to stop', async (t) => {
    const running = await startProcess(t, { folder: freshFolder(t), env: env() });
    const pid = primary();
    const key = await firstAdminKey(running);
    await untilServing(running, 2);
    const ask = askOf(running, key);
    const names = Array.from({ length: 30 }, (_, index) => `Workspace ${index}`);
    await Promise.all(names.map((name) => ask('POST', '/v1/workspaces', { name })));
    const { total } = await ask('GET', '/v1/workspaces');
    assert.equal(total, names.length + 1);
    assert.equal((await running.chat(undefined)).status, 401, 'nobody is anonymous, whichever worker answers');
    const workers = childrenOf(pid);
    assert.equal(await running.stop(), 0);
    assert.deepEqual(workers.filter(isAlive), []);
    const text = running.output();
    assert.equal(text.match(/Portcullis serves/g)?.length, 1);
    assert.equal(text.match(/"msg":"stopped"/g)?.length, 2);
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    for (const line of lines) JSON.parse(line);
  });

  it('are replaced when they die, and reload when they are told to', async (t) => {
    const running = await startProcess(t, { folder: freshFolder(t), env: env() });
    const pid = primary();
    await untilServing(running, 2);
    const [victim = 0] = childrenOf(pid);
    // It is handed one connection, and takes it no more; the other worker answers the rest.
    process.kill(victim, 'SIGSTOP');
    const asked = [1, 2, 3, 4].map(() => statusOf(`${running.url}/v1/health`));
    const ended: unknown[] = [];
    for (const status of asked) status.then((answer) => ended.push(answer));
    await until('three answers', 20_000, () => ended.length === 3);
    process.kill(victim, 'SIGKILL');
    assert.deepEqual((await Promise.all(asked)).sort(), [200, 200, 200, 'ECONNRESET']);
    await untilServing(running, 3);
    assert.equal(childrenOf(pid).length, 2);
    assert.ok(!childrenOf(pid).includes(victim));
    assert.match(running.output(), /"signal":"SIGKILL".*"msg":"worker_died"/);
    await until('it serves again', 20_000, async () => (await running.call('GET', '/v1/models')).status === 401);
    const reloads = () => running.output().match(/"msg":"config_reloaded"/g)?.length ?? 0;
    await until('both have reloaded', 20_000, () => {
      if (reloads() === 0) process.kill(pid, 'SIGHUP');
      return reloads() >= 2;
    });
    assert.equal(await running.stop(), 0);
  });

  it('end with one complaint when the first cannot start', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.after(() => taken.close());
    const { port } = taken.address() as { readonly port: number };
    const started = startProcess(t, { folder: freshFolder(t), env: env({ PORT: String(port), HOST: '127.0.0.1' }) });
    const error = await started.then(
      () => new Error('it serves'),
      (refused: Error) => refused,
    );
    assert.match(error.message, /the process ended/);
    assert.equal(error.message.match(/it is in use/g)?.length, 1);
  });
});
