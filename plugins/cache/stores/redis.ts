import { Keyv } from 'keyv';
import type { SharedRedis } from 'portcullis/sdk';

const prefix = 'reply:';

/** The operator's Redis as a store of replies. The bytes go as they are: Keyv's own frame around them is left off. */
export function redisKeyv(redis: SharedRedis): Keyv<Uint8Array> {
  return new Keyv<Uint8Array>({
    store: {
      get: async (key: string) => {
        const value = await redis.get(prefix + key);
        return value === undefined ? undefined : { value };
      },
      set: async (key: string, { value }: { readonly value: Uint8Array }, ttlMs: number) =>
        redis.set(prefix + key, value, ttlMs),
      delete: async (key: string) => {
        await redis.delete(prefix + key);
        return true;
      },
      clear: async () => {
        throw new Error('A Redis that is shared is not cleared: what is in it ends with its time.');
      },
    },
    serialization: false,
  });
}
