import type { Knex } from 'knex';
import { GatewayError, type Migration } from 'portcullis/sdk';
import type { Store } from './store.ts';

/** The migrations of one plugin, or of the core. */
export interface MigrationSet {
  readonly plugin: string;
  readonly migrations: readonly Migration[];
}

export interface MigrationState {
  /** Names as `<plugin>/<name>`. */
  readonly applied: readonly string[];
  /** In the order in which they will run. */
  readonly pending: readonly string[];
  /** Applied, and unknown to this build. */
  readonly unknown: readonly string[];
}

/** One migration with its whole name. */
export interface Step {
  readonly name: string;
  readonly migration: Migration;
}

const table = 'schema_migrations';

/**
 * All steps in the order of the sets, and by name within each.
 * @throws GatewayError `invalid_config` when a name stands twice
 */
export function stepsOf(sets: readonly MigrationSet[]): readonly Step[] {
  const steps = sets.flatMap(({ plugin, migrations }) =>
    migrations
      .map((migration): Step => ({ name: `${plugin}/${migration.name}`, migration }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
  );
  const names = new Set<string>();
  for (const { name } of steps) {
    if (names.has(name)) throw new GatewayError('invalid_config', `The migration ${name} stands twice.`);
    names.add(name);
  }
  return steps;
}

/** What the database holds and lacks; makes no table. */
export async function migrationState(store: Store, sets: readonly MigrationSet[]): Promise<MigrationState> {
  const steps = stepsOf(sets);
  const known = new Set(steps.map(({ name }) => name));
  const applied = await appliedNames(store.db);
  const done = new Set(applied);
  return {
    applied,
    pending: steps.map(({ name }) => name).filter((name) => !done.has(name)),
    unknown: applied.filter((name) => !known.has(name)),
  };
}

/** Names of the migrations that the database lacks, in the order in which they will run. */
export async function pendingMigrations(store: Store, sets: readonly MigrationSet[]): Promise<readonly string[]> {
  return (await migrationState(store, sets)).pending;
}

async function appliedNames(db: Knex): Promise<readonly string[]> {
  if (!(await db.schema.hasTable(table))) return [];
  return db(table).orderBy('name').pluck('name');
}

export async function isApplied(db: Knex, name: string): Promise<boolean> {
  return (await db(table).where({ name }).first('name')) !== undefined;
}

export async function recordMigration(db: Knex, name: string): Promise<void> {
  await db(table).insert({ name, applied_at: Date.now() });
}

/** Makes the table of what has run. */
export async function makeRecords(db: Knex): Promise<void> {
  await makeTable(db, table, (columns) => {
    columns.string('name', 255).notNullable().primary();
    columns.bigInteger('applied_at').notNullable();
  });
}

/** Several processes may want the same table at once. */
export async function makeTable(
  db: Knex,
  name: string,
  columns: (table: Knex.CreateTableBuilder) => void,
): Promise<void> {
  if (await db.schema.hasTable(name)) return;
  try {
    await db.schema.createTable(name, columns);
  } catch (error) {
    if (!(await db.schema.hasTable(name))) throw error;
  }
}

/** Forgets that the plugin's migrations have run; its tables stay. @returns how many were forgotten */
export async function forgetPlugin(db: Knex, plugin: string): Promise<number> {
  const names = (await appliedNames(db)).filter((name) => name.startsWith(`${plugin}/`));
  if (names.length > 0) await db(table).whereIn('name', names).delete();
  return names.length;
}
