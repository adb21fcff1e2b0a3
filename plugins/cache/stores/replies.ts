import type { Keyv } from 'keyv';
import type { Log } from 'portcullis/sdk';

/** Where packed replies are kept, by key. What a store fails at is a miss. */
export interface Replies {
  get(key: string): Promise<Uint8Array | undefined>;
  /** Not waited for. */
  set(key: string, packed: Uint8Array, ttlMs: number): void;
}

export function repliesIn(keyv: Keyv<Uint8Array>, log: Log): Replies {
  keyv.on('error', (error: unknown) => {
    log.warn('cache_store_failed', { error: error instanceof Error ? error.message : 'not an error' });
  });
  return {
    get: (key) => keyv.get(key),
    set: (key, packed, ttlMs) => {
      void keyv.set(key, packed, ttlMs);
    },
  };
}
