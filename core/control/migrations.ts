import { directoryMigrations } from '../directory/versions.ts';
import type { PluginEntry } from '../loader/load.ts';
import { jobMigrations } from '../resources/jobs.ts';
import { coreMigrations as vaultMigrations } from '../secrets/vault.ts';
import type { MigrationSet } from '../store/migrate.ts';
import { firstStartMigrations } from './first-start.ts';

const core: MigrationSet = {
  plugin: 'core',
  migrations: [...vaultMigrations.migrations, ...jobMigrations, ...firstStartMigrations, ...directoryMigrations],
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
