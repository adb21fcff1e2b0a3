import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import type { SharedRedis } from 'portcullis/sdk';
import { openSharedRedis, type RedisConnection } from '../../../core/redis/plugin-redis.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';
import { type Cache, said, semantic, startCache, targetWith } from './asking.ts';

noUnhandledRejections();

describe('replies in Redis', () => {
  let server: RedisServer;
  const connections: RedisConnection[] = [];
  before(async () => {
    server = await startRedis();
  });
  after(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await server.close();
  });

  /** A process of its own, as far as its memory goes. */
  async function process(
    env: Readonly<Record<string, string>> = {},
  ): Promise<Cache & { readonly shared: SharedRedis }> {
    const connection = openSharedRedis(server.url, recordingLog().log);
    connections.push(connection);
    const shared = connection.forPlugin('cache');
    // A connection that is just being made counts as away.
    while (!(await shared.set('ready', Buffer.from('x'), 1_000)))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const embed = async () => [1, 2, 3];
    return { ...(await startCache({ redis: shared, env, embed, now: Date.now() })), shared };
  }

  /** Asks until the reply is there: a write is not waited for. */
  async function until(status: string, ask: () => Promise<{ readonly status: string | undefined }>): Promise<void> {
    for (;;) {
      const asked = await ask();
      if (asked.status === status) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  it('are shared by processes', async () => {
    const [here, there] = [await process(), await process()];
    const target = () => targetWith({ body: said('shared') });
    await here.ask(target());
    await until('HIT', () => here.ask(target()));
    const found = await there.ask(target());
    const again = await here.ask(target());
    assert.deepEqual([found.status, found.called], ['HIT', false]);
    assert.equal(found.text, again.text);
  });

  it('are found by their meaning in another process', async () => {
    const env = { SEMANTIC_CACHE_EMBEDDING_MODEL: 'local/vectors' };
    const [here, there] = [await process(env), await process(env)];
    const about = (content: string) => targetWith({ cache: semantic, body: said(content) });
    const made = await here.ask(about('one'));
    await until('SEMANTIC HIT', () => here.ask(about('two')));
    const found = await there.ask(about('three'));
    assert.deepEqual([made.status, found.status, found.text], ['SEMANTIC MISS', 'SEMANTIC HIT', made.text]);
  });

  it('that another program has spoilt are misses', async () => {
    const { ask, shared } = await process();
    const target = () => targetWith({ body: said('spoilt') });
    const keys: string[] = [];
    const watching: SharedRedis = {
      get: (key) => {
        keys.push(key);
        return shared.get(key);
      },
      set: (key, value, ttlMs) => shared.set(key, value, ttlMs),
      delete: (key) => shared.delete(key),
    };
    await (await startCache({ redis: watching, now: Date.now() })).ask(target());
    await until('HIT', () => ask(target()));
    assert.match(keys[0] ?? '', /^reply:[0-9a-f]{64}$/);
    await shared.set(keys[0] ?? '', Buffer.from('not a reply'), 60_000);
    assert.equal((await ask(target())).called, true);
  });

  it('are misses while Redis is frozen, which soon nobody waits for, and hits afterwards', async () => {
    const { ask } = await process();
    const target = () => targetWith({ body: said('frozen') });
    await ask(target());
    await until('HIT', () => ask(target()));
    const reads = await readsOf(server);
    server.freeze();
    try {
      for (let request = 0; request < 20; request += 1) assert.equal((await ask(target())).status, 'MISS');
    } finally {
      server.thaw();
    }
    // Some have found out that it does not answer; the others have not even asked.
    const asked = (await readsOf(server)) - reads;
    assert.ok(asked >= 1 && asked <= 3, `${asked} of 20 asked`);
    await until('HIT', () => ask(target()));
  });

  it('are misses while Redis is away', async () => {
    const { ask } = await process();
    const target = () => targetWith({ body: said('away') });
    await ask(target());
    await until('HIT', () => ask(target()));
    await server.stop();
    assert.equal((await ask(target())).status, 'MISS');
    await server.start();
    await until('HIT', () => ask(target()));
  });
});

/** How many values have been read since it was started. */
async function readsOf({ url }: RedisServer): Promise<number> {
  const client = new Redis(url);
  const told = await client.info('commandstats');
  client.disconnect();
  return Number(/cmdstat_get:calls=(\d+)/.exec(told)?.[1] ?? 0);
}
