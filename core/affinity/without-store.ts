import type { Log } from 'portcullis/sdk';
import type { RedisConnection } from '../redis/plugin-redis.ts';
import { type Affinity, createAffinity } from './affinity.ts';
import { redisAffinitySource } from './redis-source.ts';

/** Where there is no control plane: in the operator's Redis, or where there is none, in this process alone. */
export function affinityWithoutStore(parts: {
  readonly redis?: RedisConnection | undefined;
  readonly now: () => number;
  readonly log: Log;
}): Affinity {
  const { redis, now, log } = parts;
  const source = redis === undefined ? undefined : redisAffinitySource(redis.forPlugin('affinity'), now);
  return createAffinity({ now, log, source });
}
