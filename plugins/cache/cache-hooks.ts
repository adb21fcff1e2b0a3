import type { Hooks, Host } from 'portcullis/sdk';
import type { Asked } from './asked.ts';
import { isCacheable } from './cacheable.ts';
import { Keeper } from './keeper.ts';
import { Lookup } from './lookup.ts';
import { EmbeddedIndex } from './semantic/embedded-index.ts';
import { Embedder } from './semantic/embedder.ts';
import { Meanings } from './semantic/meanings.ts';
import { RedisIndex } from './semantic/redis-index.ts';
import { type CacheSettings, settingsOf } from './settings.ts';
import { memoryKeyv } from './stores/memory.ts';
import { redisKeyv } from './stores/redis.ts';
import { repliesIn } from './stores/replies.ts';
import { Room } from './streams/room.ts';

/** How the bytes of this process are shared out, in eighths. */
const shares = { replies: 5, vectors: 2, streams: 1 } as const;

/** Looks replies up before a target is called, and keeps those that come. Targets without a rule cost nothing. */
export function cacheHooks(host: Host): Hooks {
  const settings = settingsOf(host);
  const share = (part: keyof typeof shares) => (settings.maxBytes / 8) * shares[part];
  const redis = settings.store === 'redis' ? host.redis : undefined;
  const keyv = redis === undefined ? memoryKeyv(share('replies')) : redisKeyv(redis);
  const replies = repliesIn(keyv, host.log);
  const { semantic } = settings;
  const meanings =
    semantic === undefined
      ? undefined
      : new Meanings(
          new Embedder(host, semantic),
          redis === undefined ? new EmbeddedIndex(share('vectors'), host.now) : new RedisIndex(redis, host.now),
          semantic.threshold,
        );
  const asked = host.slot<Asked>();
  const lookup = new Lookup({
    host,
    replies,
    meanings,
    missed: (missed) => asked.set(missed.target.request, missed),
  });
  const room = new Room(share('streams'));
  const keeper = new Keeper({ host, replies, meanings, room });
  return {
    lookup: (target) => (target.cache === undefined ? undefined : lookup.outcomeFor(target, target.cache)),
    afterRequest: (target, outcome) => {
      if (target.cache === undefined || outcome.cache !== undefined) return undefined;
      const known = asked.get(target.request);
      // Another target of the request may have left its own.
      return known?.target === target ? keeper.kept(known, outcome) : undefined;
    },
    explain: (target) => {
      const { cache } = target;
      if (cache === undefined) return [];
      if (!isCacheable(target)) return ['cache: off, for this request is not one whose reply may be given again'];
      return [
        `cache: ${cache.mode}, up to ${cache.maxAgeSeconds} s, in ${placeOf(settings)}${shortfall(cache, settings)}`,
      ];
    },
  };
}

function placeOf({ store }: CacheSettings): string {
  return store === 'redis' ? 'Redis' : 'the memory of this process';
}

function shortfall({ mode }: { readonly mode: string }, { semantic }: CacheSettings): string {
  if (mode !== 'semantic' || semantic !== undefined) return '';
  return '; equal requests only, for SEMANTIC_CACHE_EMBEDDING_MODEL is not set';
}
