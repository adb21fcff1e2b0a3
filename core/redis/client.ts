import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';

type Options = Omit<RedisOptions, 'replyMapping'>;

const load = createRequire(import.meta.url);

/** A connection to a server of Redis. The library is loaded with the first one: most gateways have none. */
export function openRedis(url: string, options: Options): Redis {
  const library = load('ioredis') as typeof import('ioredis');
  return new library.Redis(url, options);
}
