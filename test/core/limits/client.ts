import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCounters } from '../../../core/limits/counters.ts';
import { sqlCounterSource } from '../../../core/limits/sql-source.ts';
import { silentLog } from '../../../core/log.ts';
import { openStore, type StoreOptions } from '../../../core/store/store.ts';
import { patientMs } from '../../support/redis.ts';
import { budget, claim, organisation } from './bed.ts';

export interface Job {
  readonly redisUrl: string;
  readonly store: StoreOptions | undefined;
  readonly name: string;
  readonly limit: number;
  readonly tries: number;
  readonly reservationMs: number;
  /** How long a commit waits to be written. Absent: the standard. */
  readonly flushMs?: number;
  /** Says that it is ready, and begins when it is told to. */
  readonly waits?: boolean;
  /** Holds its reservations and says so, until it is killed. */
  readonly holds?: boolean;
}

export interface Told {
  readonly admitted: number;
  readonly committed: number;
  readonly unflushed: number;
}

/** One of several processes that count in one Redis and one store. Each admitted request uses one. */
const job = JSON.parse(process.argv[2] ?? '{}') as Job;
const store = job.store === undefined ? undefined : await openStore(job.store, silentLog);
const counters = createCounters({
  now: Date.now,
  log: silentLog,
  source: store === undefined ? undefined : sqlCounterSource(store, Date.now),
  redis: { url: job.redisUrl, whenAway: 'closed', commandTimeoutMs: patientMs },
  reservationMs: job.reservationMs,
  ...(job.flushMs === undefined ? {} : { flushMs: job.flushMs }),
});
const window = store === undefined ? claim(job.name, job.limit) : budget(job.name, job.limit, 1);
const told = { admitted: 0, committed: 0 };
const tell = () => process.send?.({ ...told, unflushed: counters.unflushed } satisfies Told);

const client = async () => {
  for (let tried = 0; tried < job.tries; tried += 1) {
    const reserved = await counters.reserve(organisation, [window]);
    if (!reserved.granted) continue;
    told.admitted += 1;
    if (job.holds === true && told.admitted % 2 === 0) continue;
    await sleep(tried % 3);
    reserved.reservation.commit([1]);
    told.committed += 1;
    if (job.holds === true) tell();
  }
};
if (job.waits === true) {
  tell();
  await once(process, 'message');
}
await Promise.all(Array.from({ length: 20 }, client));
if (job.holds === true) {
  tell();
  await sleep(60_000);
}
await counters.close();
await store?.close();
process.send?.({ ...told, unflushed: counters.unflushed } satisfies Told, () => process.disconnect());
