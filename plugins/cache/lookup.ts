import {
  type CacheStatus,
  GatewayError,
  type Host,
  type MaybePromise,
  type Outcome,
  type TargetContext,
} from 'portcullis/sdk';
import type { Asked } from './asked.ts';
import { isCacheable } from './cacheable.ts';
import { type Entry, unpacked } from './entry.ts';
import { keyOf, scopeOf } from './key.ts';
import { conversationOf } from './semantic/conversation.ts';
import type { Meaning, Meanings } from './semantic/meanings.ts';
import type { Replies } from './stores/replies.ts';
import { ReplayedStream } from './streams/replayed.ts';

export interface LookupOptions {
  readonly host: Host;
  readonly replies: Replies;
  /** Undefined: there is no embedding model. */
  readonly meanings: Meanings | undefined;
  /** Told of what was not served. */
  readonly missed: (asked: Asked) => void;
}

/** Answers in the place of a target from what is kept. */
export class Lookup {
  readonly #options: LookupOptions;

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  async outcomeFor(target: TargetContext, rule: NonNullable<TargetContext['cache']>): Promise<Outcome | undefined> {
    const { request } = target;
    const { meanings, missed } = this.#options;
    const ttlMs = await this.#maxAgeMs(target, rule.maxAgeSeconds);
    if (ttlMs <= 0 || !isCacheable(target)) {
      missed({ target, status: 'DISABLED', keeping: undefined });
      return undefined;
    }
    const identity = await identityOf(target);
    if (identity === undefined) return undefined;

    const scope = scopeOf(target, identity);
    const key = keyOf('reply', scope, target.body);
    const refreshes = request.control('cache-force-refresh')?.toLowerCase() === 'true';
    const known = refreshes ? undefined : await this.#entry(key, ttlMs);
    if (known !== undefined) return served(known, target, 'HIT');

    const conversation = rule.mode === 'semantic' && meanings !== undefined ? conversationOf(target) : undefined;
    if (conversation === undefined || meanings === undefined) {
      missed({ target, status: refreshes ? 'REFRESH' : 'MISS', keeping: { key, ttlMs, meaning: undefined } });
      return undefined;
    }
    const meaning = meanings.meaningOf(scope, conversation, request);
    const similar = refreshes ? undefined : await this.#similar(meanings, meaning, ttlMs);
    if (similar !== undefined) return served(similar, target, 'SEMANTIC HIT');
    missed({ target, status: refreshes ? 'REFRESH' : 'SEMANTIC MISS', keeping: { key, ttlMs, meaning } });
    return undefined;
  }

  /** The age of the rule, within what the organisation allows. */
  #maxAgeMs({ request }: TargetContext, seconds: number): MaybePromise<number> {
    const { access } = request.principal;
    if (access === undefined) return seconds * 1000;
    const capped = (most: number | undefined) => Math.min(seconds, most ?? seconds) * 1000;
    const entry = this.#options.host.directory('organisation', access.organisationId);
    return entry instanceof Promise
      ? entry.then((found) => capped(found?.maxCacheAgeSeconds))
      : capped(entry?.maxCacheAgeSeconds);
  }

  async #entry(key: string, maxAgeMs: number): Promise<Entry | undefined> {
    const kept = await this.#options.replies.get(key);
    const entry = kept === undefined ? undefined : unpacked(kept);
    // A younger rule holds for what an older one has kept.
    return entry !== undefined && this.#options.host.now() - entry.madeAt < maxAgeMs ? entry : undefined;
  }

  async #similar(meanings: Meanings, meaning: Meaning, maxAgeMs: number): Promise<Entry | undefined> {
    for (const key of await meanings.nearest(meaning)) {
      const entry = await this.#entry(key, maxAgeMs);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}

/** Undefined: the target cannot be called, which the call itself will say. */
async function identityOf(target: TargetContext): Promise<string | undefined> {
  try {
    return await target.identity();
  } catch (error) {
    if (GatewayError.is(error)) return undefined;
    throw error;
  }
}

function served(entry: Entry, target: TargetContext, cache: CacheStatus): Outcome {
  const { status, headers, bytes, stream, provider, model, usage, nanoUsd } = entry;
  return {
    status,
    headers,
    body: stream ? { kind: 'stream', stream: new ReplayedStream(bytes) } : { kind: 'bytes', bytes },
    provider,
    model,
    path: target.path,
    retries: 0,
    usage: () => usage,
    cache,
    ...(nanoUsd === undefined ? {} : { savedNanoUsd: nanoUsd }),
  };
}
