import { GatewayError } from 'portcullis/sdk';
import { readEnvironment } from '../config/env.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { controlMigrations } from '../control/migrations.ts';
import { loadUnits } from '../loader/load.ts';
import { silentLog } from '../log.ts';
import {
  forgetPlugin,
  freeLock,
  type MigrationSet,
  migrate as migrateStore,
  migrationState,
} from '../store/migrate.ts';
import { openStore, type Store, storeOptionsOf } from '../store/store.ts';
import type { Arguments, Console } from './command.ts';
import { loadConfig } from './operator.ts';

/** Brings the schema up to date, says what is missing, or frees the lock that a crashed process left. */
export async function migrate({ words, config: path, flags }: Arguments, out: Console): Promise<number> {
  const [action, plugin] = words;
  const forgets = action === 'forget' && plugin !== undefined && flags.size === 0;
  if ((action !== undefined && !forgets) || flags.has('now') || (flags.has('status') && flags.has('unlock'))) {
    throw new GatewayError('bad_request', 'Use: portcullis migrate [--status | --unlock | forget PLUGIN].');
  }
  const { config } = await loadConfig(path);
  if (forgets) return forget(plugin, await migrationSetsOf(config), out);
  return withStore(async (store) => {
    if (flags.has('unlock')) return unlock(store, out);
    const sets = await migrationSetsOf(config);
    if (flags.has('status')) return status(store, sets, out);
    const done = await migrateStore(store, sets, silentLog);
    out.print(done.length === 0 ? 'The schema is up to date.' : done.map((name) => `migrated ${name}`).join('\n'));
    return 0;
  });
}

/** The migrations of the core and of all plugins of the control plane that are loaded. */
export async function migrationSetsOf(
  config: Pick<GatewayConfig, 'pluginFolders' | 'signingKeys'>,
): Promise<readonly MigrationSet[]> {
  return controlMigrations((await loadUnits(config)).plugins.units);
}

/** Runs the work on the database that the environment names, and closes it. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(storeOptionsOf(readEnvironment()), silentLog);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** For a plugin that is gone for good: what is loaded must keep its records. */
async function forget(plugin: string, sets: readonly MigrationSet[], out: Console): Promise<number> {
  if (sets.some((set) => set.plugin === plugin)) {
    throw new GatewayError('bad_request', `The plugin ${plugin} is loaded, so its migrations are not forgotten.`);
  }
  return withStore(async (store) => {
    const count = await forgetPlugin(store.db, plugin);
    out.print(`${count} migrations of ${plugin} forgotten. Its tables are still there.`);
    return 0;
  });
}

async function unlock(store: Store, out: Console): Promise<number> {
  const holder = await freeLock(store);
  out.print(holder === undefined ? 'There was no lock.' : `The lock of ${holder} is free.`);
  return 0;
}

/** The code is 1 when something is to be done, so that scripts can ask. */
async function status(store: Store, sets: readonly MigrationSet[], out: Console): Promise<number> {
  const { applied, pending, unknown } = await migrationState(store, sets);
  const strange = new Set(unknown);
  const lines = [
    ...applied.filter((name) => !strange.has(name)).map((name) => `applied  ${name}`),
    ...pending.map((name) => `pending  ${name}`),
    ...unknown.map((name) => `unknown  ${name}   (of a newer version, or of a plugin that is not loaded)`),
  ];
  out.print(lines.join('\n'));
  return pending.length + unknown.length === 0 ? 0 : 1;
}
