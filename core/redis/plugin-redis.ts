import type { Log, SharedRedis } from 'portcullis/sdk';
import { openRedis } from './client.ts';

const connectMs = 500;
const commandMs = 250;
/** Failures in a row after which it counts as away, and for how long nobody asks it then. */
const mostFailures = 3;
const awayMs = 2_000;
/** Commands that may wait for it at a time: more are lost at once. */
const mostWaiting = 256;

/** One connection to the operator's Redis, for what plugins keep there. */
export interface RedisConnection {
  /** Under names that begin with the plugin's own. */
  forPlugin(plugin: string): SharedRedis;
  close(): Promise<void>;
}

/** A server that is slow is worse than one that is away: after a few failures nobody waits for it any more. */
export function openSharedRedis(url: string, log: Log): RedisConnection {
  const redis = openRedis(url, {
    connectTimeout: connectMs,
    commandTimeout: commandMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(2_000, 50 * 2 ** attempt),
  });
  let failures = 0;
  let awayUntil = 0;
  let waiting = 0;
  const failed = (error: unknown): void => {
    failures += 1;
    if (failures < mostFailures) return;
    if (awayUntil === 0) log.warn('redis_away', { error: error instanceof Error ? error.message : 'not an error' });
    awayUntil = performance.now() + awayMs;
  };
  redis.on('error', failed);
  const ask = async <T>(command: () => Promise<T>): Promise<T | undefined> => {
    // Before the connection stands, nobody waits and nobody is to blame.
    if (redis.status !== 'ready' || waiting >= mostWaiting || performance.now() < awayUntil) return undefined;
    waiting += 1;
    try {
      const answer = await command();
      if (awayUntil > 0) log.info('redis_back');
      failures = 0;
      awayUntil = 0;
      return answer;
    } catch (error) {
      failed(error);
      return undefined;
    } finally {
      waiting -= 1;
    }
  };

  return {
    forPlugin: (plugin) => {
      const nameOf = (key: string) => `portcullis:${plugin}:${key}`;
      return {
        get: async (key) => (await ask(() => redis.getBuffer(nameOf(key)))) ?? undefined,
        set: async (key, value, ttlMs) =>
          (await ask(() => redis.set(nameOf(key), Buffer.from(value), 'PX', Math.max(1, Math.ceil(ttlMs))))) === 'OK',
        delete: async (key) => void (await ask(() => redis.del(nameOf(key)))),
      };
    },
    close: async () => {
      redis.disconnect();
    },
  };
}
