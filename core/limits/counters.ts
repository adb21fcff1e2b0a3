import { randomUUID } from 'node:crypto';
import { type Claim, type Counters, GatewayError, type Log, type MaybePromise, type Metrics } from 'portcullis/sdk';
import type { CounterSource, StoredCount } from './counter-source.ts';
import { MemoryCounts } from './memory-counts.ts';
import { memoryCounterSource } from './memory-source.ts';
import { Outbox } from './outbox.ts';
import { Reconciler } from './reconciler.ts';
import { RedisCounts } from './redis-counts.ts';
import { RedisLink } from './redis-link.ts';
import { Tally } from './tally.ts';

export interface CountersOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Where durable counts are kept. Absent: they last as long as the process. */
  readonly source?: CounterSource | undefined;
  /** Shares the counts with other processes. Absent: they are those of this process. */
  readonly redis?: {
    readonly url: string;
    /** `open`: while Redis is away requests are counted here, and told to it later; `closed`: they are refused. */
    readonly whenAway: 'open' | 'closed';
    /** Default 250. */
    readonly commandTimeoutMs?: number;
  };
  readonly metrics?: Metrics | undefined;
  /** How long a request may hold room before it counts as lost. Default 10 minutes. */
  readonly reservationMs?: number;
  /** How long a commit of a durable count waits to be written, and how many may wait. Default 500 and 500. */
  readonly flushMs?: number;
  readonly flushCommits?: number;
  /** Names that are remembered in memory. Default 200,000: some 60 MB. */
  readonly mostNames?: number;
}

export interface LiveCounters extends Counters {
  /** Commits of durable counts that the store has not been told of: what a crash would lose. */
  readonly unflushed: number;
  /** Commits that have got lost: the store refused them, or was away for too long. */
  readonly lost: number;
  /** Calls of Redis that waited for an answer in vain. */
  readonly waitedInVain: number;
  /** Reservations that were too old, as far as this process came upon them. */
  readonly lapsed: number;
  /** Writes what is not written yet, as far as the other side answers, and ends. */
  close(): Promise<void>;
}

const standardReservationMs = 600_000;
const standardFlush = 500;
const standardNames = 200_000;
const standardTimeoutMs = 250;
const tickMs = 1_000;
const longestName = 500;

/** The counts of this process: in memory, or in Redis with memory for the time that it is away. */
export function createCounters(options: CountersOptions): LiveCounters {
  const { now, log, redis, reservationMs = standardReservationMs } = options;
  const source = options.source ?? memoryCounterSource(now);
  const tally = new Tally({
    source,
    log,
    writer: randomUUID(),
    flushMs: options.flushMs ?? standardFlush,
    flushCommits: options.flushCommits ?? standardFlush,
  });
  const memory = (used: ConstructorParameters<typeof MemoryCounts>[0]['used']) =>
    new MemoryCounts({
      now,
      reservationMs,
      mostNames: options.mostNames ?? standardNames,
      load: (count) => tally.load(count),
      pending: (count) => tally.pending(count),
      used,
    });
  const durable: Durable = { tally, source };
  if (redis === undefined) {
    const counts = memory((count, amount) => {
      if (count.durable) tally.add(count, amount);
    });
    return inMemory(counts, durable, options);
  }
  return inRedis({ ...options, redis, reservationMs }, memory, durable);
}

interface Durable {
  readonly tally: Tally;
  readonly source: CounterSource;
}

function inMemory(counts: MemoryCounts, durable: Durable, { metrics }: CountersOptions): LiveCounters {
  const live = liveCounters(
    durable,
    {
      counts,
      lost: () => 0,
      waitedInVain: () => 0,
      lapsed: () => counts.lapsed,
      raised: (_, stored) => stored,
      close: async () => {
        counts.close();
        await durable.tally.close();
      },
    },
    metrics,
  );
  metrics?.gauge(
    'portcullis_limits_forgotten_counts',
    'Counts that still held, forgotten for want of memory.',
    [],
    () => [{ labels: [], value: counts.forgotten }],
  );
  return live;
}

type WithRedis = CountersOptions &
  Required<Pick<CountersOptions, 'reservationMs'>> & {
    readonly redis: NonNullable<CountersOptions['redis']>;
  };

function inRedis(
  { redis, now, log, metrics, reservationMs }: WithRedis,
  memory: (used: ConstructorParameters<typeof MemoryCounts>[0]['used']) => MemoryCounts,
  durable: Durable,
): LiveCounters {
  const { tally } = durable;
  const prefix = randomUUID().slice(0, 13);
  let ids = 0;
  const newId = () => `${prefix}-${(ids++).toString(36)}`;
  const link = new RedisLink({
    url: redis.url,
    log,
    commandTimeoutMs: redis.commandTimeoutMs ?? standardTimeoutMs,
    returning: async () => {
      await outbox.deliver(true);
      local.clear();
    },
  });
  const outbox = new Outbox(link, newId, now);
  const reconciler = new Reconciler(link, tally);
  const local = memory((count, amount) => {
    if (count.durable) {
      tally.add(count, amount);
      reconciler.doubt(count, performance.now());
    } else {
      outbox.add(count, amount);
    }
  });
  const parts = { link, outbox, reconciler, tally, local, whenAway: redis.whenAway, reservationMs, newId, now };
  const counts = new RedisCounts(parts);
  const timer = setInterval(() => {
    if (link.away) return;
    if (outbox.size > 0) outbox.deliver(false).catch(() => {});
    reconciler.tick(performance.now());
  }, tickMs);
  timer.unref();
  const live = liveCounters(
    durable,
    {
      counts,
      lost: () => outbox.lost,
      waitedInVain: () => link.waited,
      lapsed: () => counts.lapsed + local.lapsed,
      raised: (organisationId, stored) => counts.raised(organisationId, stored),
      close: async () => {
        clearInterval(timer);
        // What was sent before is answered before this is.
        await Promise.allSettled([outbox.deliver(false), link.run('read', [], []), tally.close()]);
        local.close();
        link.close();
      },
    },
    metrics,
  );
  metrics?.gauge(
    'portcullis_limits_breaker_open',
    'Whether Redis is away, and limits are counted here or refused.',
    [],
    () => [{ labels: [], value: link.away ? 1 : 0 }],
  );
  return live;
}

/** What depends on where the counts are kept. */
interface Kept {
  readonly counts: MemoryCounts | RedisCounts;
  /** Commits that got lost before the tally had them. */
  lost(): number;
  waitedInVain(): number;
  lapsed(): number;
  /** Durable counts of the store, each with what is enforced where that is known to be more. */
  raised<C extends StoredCount>(organisationId: string, counts: readonly C[]): MaybePromise<readonly C[]>;
  close(): Promise<void>;
}

function liveCounters({ tally, source }: Durable, kept: Kept, metrics: Metrics | undefined): LiveCounters {
  const { counts } = kept;
  const live: LiveCounters = {
    reserve: (organisationId, claims) => {
      checkClaims(claims);
      return counts.reserve(organisationId, claims);
    },
    read: (organisationId, asked) => counts.read(organisationId, asked),
    set: async (organisationId, count, used) => {
      if (count.durable) await tally.set({ organisationId, name: count.name, start: count.start }, used);
      await counts.set(organisationId, count, used);
    },
    // The control plane asks for the figures of the store, with all that this process has counted, and what Redis holds.
    list: async (organisationId, ...asked) => {
      await tally.flush();
      const { total, counts } = await source.list(organisationId, ...asked);
      return { total, counts: await kept.raised(organisationId, counts) };
    },
    changedSince: async (...asked) => {
      await tally.flush();
      return raisedChanges(kept, await source.changedSince(...asked));
    },
    get unflushed() {
      return tally.unflushed;
    },
    get lost() {
      return tally.lost + kept.lost();
    },
    get waitedInVain() {
      return kept.waitedInVain();
    },
    get lapsed() {
      return kept.lapsed();
    },
    close: () => kept.close(),
  };
  gauges(live, metrics);
  return live;
}

type Change = Awaited<ReturnType<Counters['changedSince']>>[number];

/** In their order. */
async function raisedChanges(kept: Kept, changes: readonly Change[]): Promise<readonly Change[]> {
  const raised = new Map<string, Iterator<Change, undefined>>();
  for (const [organisationId, own] of Map.groupBy(changes, (change) => change.organisationId))
    raised.set(organisationId, (await kept.raised(organisationId, own)).values());
  return changes.map((change) => raised.get(change.organisationId)?.next().value ?? change);
}

function gauges(live: LiveCounters, metrics: Metrics | undefined): void {
  const rows = [
    ['portcullis_limits_unflushed_commits', 'Commits of durable counts that a crash would lose.', () => live.unflushed],
    ['portcullis_limits_lost_commits', 'Commits that never reached the store.', () => live.lost],
    [
      'portcullis_limits_lapsed_reservations',
      'Reservations that were lost and came back by their age.',
      () => live.lapsed,
    ],
  ] as const;
  for (const [name, help, value] of rows) metrics?.gauge(name, help, [], () => [{ labels: [], value: value() }]);
}

function checkClaims(claims: readonly Claim[]): void {
  for (const { name, limit, amount, start } of claims) {
    const whole = Number.isSafeInteger(amount) && amount >= 0 && Number.isSafeInteger(limit) && limit >= 0;
    if (whole && Number.isSafeInteger(start) && name !== '' && name.length <= longestName) continue;
    throw new GatewayError(
      'internal',
      'A claim needs a name of at most 500 characters, and limit, amount and start as whole numbers of 0 or more.',
    );
  }
}
