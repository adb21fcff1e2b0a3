import { GatewayError, type Log } from 'portcullis/sdk';
import { affinityMigrations } from '../affinity/tables.ts';
import { batchMigrations } from '../batches/tables.ts';
import { directoryMigrations } from '../directory/versions.ts';
import { counterMigrations } from '../limits/tables.ts';
import type { PluginEntry } from '../loader/load.ts';
import { mailMigrations } from '../mail/outbox.ts';
import { jobMigrations } from '../resources/jobs.ts';
import { coreMigrations as vaultMigrations } from '../secrets/vault.ts';
import { type MigrationSet, migrate, pendingMigrations } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import { firstStartMigrations } from './first-start.ts';

const core: MigrationSet = {
  plugin: 'core',
  migrations: [
    ...vaultMigrations.migrations,
    ...jobMigrations,
    ...firstStartMigrations,
    ...directoryMigrations,
    ...counterMigrations,
    ...affinityMigrations,
    ...batchMigrations,
    ...mailMigrations,
  ],
};

/**
 * What the database must have: of the core, and of every plugin of the control plane that is loaded. Those that the
 * operator does not list are among them, so that listing one again finds its records.
 */
export function controlMigrations(plugins: readonly PluginEntry[]): readonly MigrationSet[] {
  const ofPlugins = plugins
    .filter(({ manifest, definition }) => manifest.control === true && definition.migrations !== undefined)
    .map(({ manifest, definition }) => ({ plugin: manifest.name, migrations: definition.migrations ?? [] }));
  return [core, ...ofPlugins];
}

/** @throws GatewayError `invalid_config` when something is missing and may not be made here */
export async function bringUpToDate(
  store: Store,
  sets: readonly MigrationSet[],
  mayMigrate: boolean,
  log: Log,
): Promise<void> {
  if (mayMigrate) {
    await migrate(store, sets, log);
    return;
  }
  const pending = await pendingMigrations(store, sets);
  if (pending.length === 0) return;
  throw new GatewayError(
    'invalid_config',
    `The database lacks ${pending.length} migrations, and MIGRATE_ON_START is off: run \`portcullis migrate\` first.`,
    { param: 'MIGRATE_ON_START' },
  );
}
