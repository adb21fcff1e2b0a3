import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { GatewayError, type Log } from 'portcullis/sdk';
import { isUniqueViolation } from './failures.ts';
import { makeTable } from './migration-records.ts';
import type { Store } from './store.ts';

/** How patient a process is with the one that migrates, in milliseconds. */
export interface LockTimes {
  /** How often the holder shows that it lives. */
  readonly beatMs: number;
  /** A holder that shows nothing for so long has crashed: its lock is taken over. */
  readonly staleMs: number;
  /** How long to wait for a holder that lives. */
  readonly waitMs: number;
}

export const standardTimes: LockTimes = { beatMs: 2000, staleMs: 30_000, waitMs: 120_000 };

export interface MigrationLock {
  /** @throws GatewayError `conflict` when another process took the lock over */
  confirm(db: Knex): Promise<void>;
  release(): Promise<void>;
}

interface LockRow {
  readonly owner: string;
  readonly holder: string;
  readonly beat: number;
}

const table = 'schema_lock';
const id = 1;
const pollMs = 150;

/**
 * Waits for the lock and takes it. Whether a holder lives is seen from its beats alone, so clocks may differ.
 * @throws GatewayError `not_ready` when a living holder keeps it too long
 */
export async function takeLock(store: Store, log: Log, times: LockTimes = standardTimes): Promise<MigrationLock> {
  const { db } = store;
  await makeLockTable(db);
  const owner = randomUUID();
  const mine = { owner, holder: `process ${process.pid} on ${hostname()}`.slice(0, 255), beat: 0 };
  const end = performance.now() + times.waitMs;
  let seen: LockRow | undefined;
  let seenAt = 0;
  while (!(await insertRow(db, mine))) {
    const row = await readRow(db);
    if (row === undefined) continue;
    const now = performance.now();
    if (seen?.owner !== row.owner || seen.beat !== row.beat) [seen, seenAt] = [row, now];
    else if (now - seenAt >= times.staleMs && (await takeOver(db, row, mine))) {
      log.warn('migration_lock_taken_over', { from: row.holder });
      break;
    }
    if (now >= end) throw held(row, times);
    await sleep(pollMs * (0.5 + Math.random()));
  }
  return heldLock(db, owner, log, times);
}

/** Frees the lock whoever holds it; says who did. */
export async function freeLock({ db }: Store): Promise<string | undefined> {
  if (!(await db.schema.hasTable(table))) return undefined;
  const row = await readRow(db);
  await db(table).where({ id }).delete();
  return row?.holder;
}

function heldLock(db: Knex, owner: string, log: Log, { beatMs }: LockTimes): MigrationLock {
  const beat = () => db(table).where({ id, owner }).increment('beat', 1);
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(beat).catch((error: Error) => log.warn('migration_lock_beat_failed', { message: error.message }));
  }, beatMs);
  timer.unref();
  return {
    confirm: async (on) => {
      if ((await on(table).where({ id, owner }).increment('beat', 1)) === 1) return;
      throw new GatewayError(
        'conflict',
        'Another process has taken the migration lock over; nothing more was changed.',
      );
    },
    release: async () => {
      clearInterval(timer);
      await last;
      await db(table).where({ id, owner }).delete();
    },
  };
}

function held({ holder }: LockRow, { waitMs }: LockTimes): GatewayError {
  const text = `The database is being migrated by ${holder}, and is still after ${waitMs / 1000} s. Wait for it; when it runs no more, free the lock: portcullis migrate --unlock`;
  return new GatewayError('not_ready', text);
}

async function makeLockTable(db: Knex): Promise<void> {
  await makeTable(db, table, (columns) => {
    columns.integer('id').notNullable().primary();
    columns.string('owner', 36).notNullable();
    columns.string('holder', 255).notNullable();
    columns.integer('beat').notNullable();
  });
}

async function insertRow(db: Knex, row: LockRow): Promise<boolean> {
  try {
    await db(table).insert({ id, ...row });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

async function readRow(db: Knex): Promise<LockRow | undefined> {
  return db(table).where({ id }).first('owner', 'holder', 'beat');
}

async function takeOver(db: Knex, { owner, beat }: LockRow, mine: LockRow): Promise<boolean> {
  return (await db(table).where({ id, owner, beat }).update(mine)) === 1;
}
