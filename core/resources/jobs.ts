import { Cron } from 'croner';
import { GatewayError, type Job, type Log, type Migration } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';

export interface JobParts {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** Whether they run by their schedules; when not, only `run` starts them. */
  readonly scheduled: boolean;
}

export interface Jobs {
  /** Runs a job now if no other process is at it; false: another is. */
  run(name: string): Promise<boolean>;
  close(): Promise<void>;
}

export const jobMigrations: readonly Migration[] = [
  {
    name: '001_job_leases',
    up: async (db) => {
      await db.schema.createTable('job_leases', (table) => {
        table.string('name', 190).notNullable().primary();
        table.string('holder', 36).notNullable();
        table.bigInteger('until').notNullable();
        table.bigInteger('last_run_at');
      });
    },
  },
];

/** Long enough for the slowest job: a process that dies in the middle is waited for no longer than this. */
const leaseMs = 10 * 60_000;

/** Runs each job on its schedule, in one process at a time: whoever holds its lease in the store. */
export function startJobs(jobs: readonly Job[], parts: JobParts): Jobs {
  const holder = parts.newId();
  const running = new Set<Promise<unknown>>();
  const byName = new Map(jobs.map((job) => [job.name, job]));

  const attempt = async (job: Job): Promise<boolean> => {
    try {
      if (!(await taken(parts.store, job.name, holder, parts.now()))) return false;
      await job.run();
      await released(parts.store, job.name, holder, parts.now());
      return true;
    } catch (error) {
      parts.log.error('job_failed', { job: job.name, error: error instanceof Error ? error.message : 'not an error' });
      await released(parts.store, job.name, holder, parts.now()).catch(() => undefined);
      return false;
    }
  };
  const tracked = (job: Job): Promise<boolean> => {
    const work = attempt(job);
    running.add(work);
    void work.finally(() => running.delete(work));
    return work;
  };
  const timers = (parts.scheduled ? jobs : []).map(
    (job) =>
      // By the offset: asking for the zone by its name makes a calendar for each.
      new Cron(job.schedule, { utcOffset: 0, protect: true, unref: true }, async () => {
        await tracked(job);
      }),
  );
  return {
    run: async (name) => {
      const job = byName.get(name);
      if (job === undefined) throw new GatewayError('not_found', `There is no job "${name}".`);
      return tracked(job);
    },
    close: async () => {
      for (const timer of timers) timer.stop();
      await Promise.allSettled(running);
    },
  };
}

/** A lease is taken by whoever changes the row first. */
async function taken({ db }: Store, name: string, holder: string, now: number): Promise<boolean> {
  await db('job_leases').insert({ name, holder, until: 0 }).onConflict('name').ignore();
  const changed: unknown = await db('job_leases')
    .where({ name })
    .andWhere((mine) => mine.where('until', '<', now).orWhere('holder', holder))
    .update({ holder, until: now + leaseMs });
  return Number(changed) === 1;
}

async function released({ db }: Store, name: string, holder: string, now: number): Promise<void> {
  await db('job_leases').where({ name, holder }).update({ until: 0, last_run_at: now });
}
