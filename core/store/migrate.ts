import { GatewayError, type Log } from 'portcullis/sdk';
import { type LockTimes, type MigrationLock, takeLock } from './migration-lock.ts';
import {
  isApplied,
  type MigrationSet,
  makeRecords,
  migrationState,
  recordMigration,
  type Step,
  stepsOf,
} from './migration-records.ts';
import { withPatience } from './patience.ts';
import type { Store } from './store.ts';

export { freeLock } from './migration-lock.ts';
export {
  forgetPlugin,
  type MigrationSet,
  type MigrationState,
  migrationState,
  pendingMigrations,
} from './migration-records.ts';

const longestStepMs = 600_000;

/**
 * Runs what the database lacks, each migration once, whatever number of processes starts at the same time. On SQLite a
 * migration and its record are one transaction; on MySQL, where a change of the schema cannot be undone, it is recorded
 * once it has run.
 * @returns the names of those that ran here
 * @throws GatewayError `invalid_config` when a newer version has migrated the database, `not_ready` when another
 *   process is at it for too long, `internal` naming the migration that failed
 */
export async function migrate(
  store: Store,
  sets: readonly MigrationSet[],
  log: Log,
  times?: LockTimes,
): Promise<readonly string[]> {
  if ((await refuseUnknown(store, sets)).length === 0) return [];
  const lock = await takeLock(store, log, times);
  try {
    await makeRecords(store.db);
    const pending = new Set(await refuseUnknown(store, sets));
    const steps = stepsOf(sets).filter(({ name }) => pending.has(name));
    for (const step of steps) {
      await withPatience(longestStepMs, () => run(store, step, lock));
      log.info('migrated', { migration: step.name });
    }
    return steps.map(({ name }) => name);
  } finally {
    await lock.release().catch((error: Error) => log.warn('migration_lock_kept', { message: error.message }));
  }
}

/** @returns the names of what is pending */
async function refuseUnknown(store: Store, sets: readonly MigrationSet[]): Promise<readonly string[]> {
  const { pending, unknown } = await migrationState(store, sets);
  if (unknown.length === 0) return pending;
  const text = `A newer version of the gateway, or a plugin that is not loaded, has migrated the database: this one does not know ${unknown.join(', ')}. Run that version, restore a backup from before, or, for a plugin that is gone for good: portcullis migrate forget NAME.`;
  throw new GatewayError('invalid_config', text);
}

async function run(store: Store, { name, migration }: Step, lock: MigrationLock): Promise<void> {
  try {
    if (store.dialect === 'sqlite') {
      await store.transaction(async (trx) => {
        await lock.confirm(trx);
        if (await isApplied(trx, name)) return;
        await migration.up(trx);
        await recordMigration(trx, name);
      });
      return;
    }
    await lock.confirm(store.db);
    await migration.up(store.db);
    await recordMigration(store.db, name);
  } catch (cause) {
    if (GatewayError.is(cause)) throw cause;
    const left = store.dialect === 'sqlite' ? 'It was undone.' : 'What it did before it failed is still there.';
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('internal', `The migration ${name} failed: ${reason}. ${left}`, { cause });
  }
}
