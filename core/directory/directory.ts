import { type Directory, type DirectoryKind, type DirectoryKinds, GatewayError, type Log } from 'portcullis/sdk';
import { type DirectoryBounds, standardBounds } from './bounds.ts';
import { Loader } from './loader.ts';
import { Memory, type Slot } from './memory.ts';
import { createRedisNotices, type Notices } from './notices.ts';
import { notReady, Outage } from './outage.ts';
import { isPlausible, lengthFault, nameOf } from './paths.ts';
import { Poller } from './poller.ts';
import { Recent } from './recent.ts';
import type { DirectorySource } from './source.ts';
import { Tenancies } from './tenancies.ts';
import { VersionWatch } from './version-watch.ts';

export interface DirectoryOptions extends Partial<DirectoryBounds> {
  readonly log: Log;
  /** Milliseconds: the ages of records are counted with it. */
  readonly now: () => number;
  readonly random?: () => number;
  /** Carries notices between processes; absent: they find out by polling. */
  readonly redisUrl?: string;
  /** In the place of those of `redisUrl`. */
  readonly notices?: Notices;
}

/** A directory that follows its source. */
export interface LiveDirectory extends Directory {
  readonly bounds: DirectoryBounds;
  readonly status: DirectoryStatus;
  /** Call it after the commit of a change: what is known of the organisation is stale at once, here and elsewhere. Never throws. */
  notify(organisationId: string): void;
  /** Asks now what has changed. Never rejects. */
  refresh(): Promise<void>;
  /** What is known goes on being given; nothing is loaded any more. Closes the source as well. */
  close(): Promise<void>;
}

export interface DirectoryStatus {
  readonly records: number;
  readonly misses: number;
  /** Organisations of which something is remembered. */
  readonly organisations: number;
  readonly loading: number;
  readonly waiting: number;
  /** Whether the source cannot be asked: the last good copies serve. */
  readonly away: boolean;
}

/** The records that requests need, in memory. Begins to poll at once. */
export function createDirectory(source: DirectorySource, options: DirectoryOptions): LiveDirectory {
  const { log, now, random = Math.random } = options;
  const bounds = boundsOf(options);
  const tenancies = new Tenancies();
  const recent = new Recent();
  const memory = new Memory(bounds, tenancies, () => recent.clear());
  const outage = new Outage(log, random);
  const watch = new VersionWatch();
  const poller = new Poller(poll, () => (outage.doubtful ? outage.delayMs : bounds.pollMs * (0.9 + random() / 5)));
  const loader = new Loader({ source, bounds, tenancies, memory, outage, log, now, onFailure: () => poller.soon() });
  const notices =
    options.notices ?? (options.redisUrl === undefined ? undefined : createRedisNotices(options.redisUrl, log));
  // Asking the clock would cost each look-up more than all the rest: the poller moves this on.
  let oldest = now() - bounds.maxAgeMs;

  async function poll(): Promise<void> {
    oldest = now() - bounds.maxAgeMs;
    // The memory must learn now and then what is in use.
    recent.clear();
    try {
      const reply = await within(bounds.loadMs, (signal) => source.versions(watch.cursor, signal));
      const stale = watch.take(reply);
      if (stale === 'all') tenancies.allChanged();
      else for (const organisationId of stale) tenancies.changed(organisationId);
      outage.succeeded();
    } catch (error) {
      outage.triedInVain();
      loader.failed(error);
    }
  }

  const isKnown = (slot: Slot) => isFresh(slot) && slot.loadedAt >= oldest;

  /** Who asks for several records may fail on one of them and hear of no other: that must not end the process. */
  function load(kind: DirectoryKind, path: readonly string[], name: string): Promise<object | undefined> {
    const loading = loader.load(kind, path, name);
    loading.catch(() => {});
    return loading;
  }

  function recall(kind: DirectoryKind, path: readonly string[], name: string, slot: Slot | undefined) {
    const fault = lengthFault(kind, path);
    if (fault !== undefined) throw new GatewayError('internal', fault);
    if (slot === undefined) {
      if (!isPlausible(kind, path)) return undefined;
      if (outage.away) throw outage.refusal();
      return load(kind, path, name);
    }
    if (isFresh(slot)) {
      // Only old: right in all likelihood, so nobody waits.
      if (!outage.away && loader.mayRetry(slot)) loader.loadBehind(kind, path, name);
      return slot.value;
    }
    if (outage.away) {
      if (slot.value !== undefined) return slot.value;
      // That there was no such record once does not tell that there is none now.
      throw outage.refusal();
    }
    if (slot.failure?.era !== outage.era) return load(kind, path, name);
    if (slot.value === undefined) {
      if (loader.mayRetry(slot)) return load(kind, path, name);
      throw slot.failure.error;
    }
    if (loader.mayRetry(slot)) loader.loadBehind(kind, path, name);
    return slot.value;
  }

  notices?.listen(
    (organisationId) => tenancies.changed(organisationId),
    () => poller.now(),
  );
  void poller.now();

  return {
    bounds,
    get status() {
      return {
        records: memory.entries,
        misses: memory.misses,
        organisations: tenancies.size,
        loading: loader.running,
        waiting: loader.waiting,
        away: outage.away,
      };
    },
    get: <K extends DirectoryKind>(kind: K, ...path: readonly string[]) => {
      const near = recent.find(kind, path);
      if (near !== undefined && isKnown(near)) return near.value as DirectoryKinds[K] | undefined;
      const name = nameOf(kind, path);
      const slot = memory.find(name);
      if (slot === undefined || !isKnown(slot)) return recall(kind, path, name, slot) as DirectoryKinds[K] | undefined;
      recent.keep(kind, path, slot);
      return slot.value as DirectoryKinds[K] | undefined;
    },
    notify: (organisationId) => {
      tenancies.changed(organisationId);
      notices?.publish(organisationId);
    },
    refresh: () => poller.now(),
    close: async () => {
      poller.close();
      notices?.close();
      loader.close(notReady('The gateway is shutting down.'));
      await source.close();
    },
  };
}

function isFresh({ stamp, tenancy }: Slot): boolean {
  return stamp >= tenancy.changedAt;
}

function boundsOf(options: Partial<DirectoryBounds>): DirectoryBounds {
  const given = Object.entries(standardBounds).map(([name, standard]) => [
    name,
    options[name as keyof DirectoryBounds] ?? standard,
  ]);
  return Object.freeze(Object.fromEntries(given)) as DirectoryBounds;
}

/** Rejects when the time is over, whether or not the work heeds its signal. */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const expire = () => {
      const late = notReady(`The question what has changed took longer than ${ms} ms.`);
      reject(late);
      leaving.abort(late);
    };
    // As for loads: what has come while this process was busy is read first.
    timer = setTimeout(() => setImmediate(expire), ms);
  });
  try {
    return await Promise.race([work(leaving.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}
