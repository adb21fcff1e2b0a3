import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import { GatewayError, type Log } from 'portcullis/sdk';
import { makeDataFolder } from './data-folder.ts';
import type { MysqlConfig } from './mysql-client.ts';
import { connectTimeoutMs, serverOptions } from './mysql-server.ts';
import type { Endpoint, StoreOptions } from './options.ts';
import { within } from './patience.ts';
import { commonConfig } from './queries.ts';
import { SqliteClient, type SqliteConfig } from './sqlite-client.ts';
import { runTransaction } from './transactions.ts';

export { isUnavailable, isUniqueViolation } from './failures.ts';
export { type Endpoint, type StoreOptions, storeOptionsOf } from './options.ts';

export interface Store {
  readonly dialect: 'sqlite' | 'mysql';
  /** Writes, and reads what was written. */
  readonly db: Knex;
  /** Reads only: the replica where there is one. May lag behind, and sees nothing of a running transaction. */
  readonly reader: Knex;
  /**
   * Runs the work in a serializable transaction and commits what it did. Conflicts with other transactions run it
   * again, a bounded number of times: it must have no effect outside the database. Inside, only `trx` may be asked.
   */
  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** @throws when the database cannot be asked within two seconds */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const pingMs = 2000;
const standardQueryMs = 5000;
/** For the first connection of all, and what is asked over it: a server that has just been started is slow for once. */
const openMs = connectTimeoutMs + standardQueryMs;
const memory = ':memory:';

/**
 * Opens the database and asks it once.
 * @throws GatewayError `not_ready` when it cannot be opened or reached; a replica that cannot is logged
 */
export async function openStore(options: StoreOptions, log: Log): Promise<Store> {
  const pools = options.kind === 'sqlite' ? sqlitePools(options.file, log) : await mysqlPools(options, log);
  const store = storeOver(options.kind, pools);
  try {
    if (options.kind === 'sqlite') makeFile(options.file);
    await pingOf(pools.db, openMs);
  } catch (cause) {
    await store.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('not_ready', `The database ${placeOf(options)} cannot be used: ${reason}`, { cause });
  }
  if (options.kind === 'mysql' && options.reader !== undefined) {
    await pingOf(pools.reader, openMs).catch((error: unknown) => {
      log.warn('store_replica_unreachable', { host: options.reader?.host, message: (error as Error).message });
    });
  }
  return store;
}

interface Pools {
  readonly db: Knex;
  readonly reader: Knex;
}

function storeOver(dialect: Store['dialect'], { db, reader }: Pools): Store {
  return {
    dialect,
    db,
    reader,
    transaction: (work) => runTransaction(db, work),
    ping: () => pingOf(db, pingMs),
    close: async () => {
      await Promise.all([db.destroy(), reader === db ? undefined : reader.destroy()]);
    },
  };
}

async function pingOf(db: Knex, limitMs: number): Promise<void> {
  await within(limitMs, 'An answer of the database', Promise.resolve(db.raw('select 1')));
}

function placeOf(options: StoreOptions): string {
  if (options.kind === 'sqlite') return options.file;
  return `${options.database} at ${options.writer.host}:${options.writer.port}`;
}

function makeFile(file: string): void {
  if (file === memory) return;
  makeDataFolder(dirname(file));
  // The folder may be an older one that others can read; the files beside it take the mode of this one.
  closeSync(openSync(file, 'a', 0o600));
}

function sqlitePools(file: string, log: Log): Pools {
  const pool = (readOnly: boolean): Knex => {
    const config: SqliteConfig = {
      ...commonConfig(log),
      client: SqliteClient,
      connection: { filename: file },
      useNullAsDefault: true,
      // A second connection of this process would stop the event loop in wait for the first, which needs the loop.
      pool: { min: 1, max: 1 },
      file,
      readOnly,
      queryTimeoutMs: standardQueryMs,
    };
    return knex(config);
  };
  const db = pool(false);
  // What is in memory belongs to its one connection; a file can be read while a transaction runs.
  return { db, reader: file === memory ? db : pool(true) };
}

async function mysqlPools(options: StoreOptions & { readonly kind: 'mysql' }, log: Log): Promise<Pools> {
  // Its driver is not for gateways with an embedded database.
  const { MysqlClient } = await import('./mysql-client.ts');
  const pool = (endpoint: Endpoint, readOnly: boolean): Knex => {
    const config: MysqlConfig = {
      ...commonConfig(log),
      client: MysqlClient,
      connection: { charset: 'utf8mb4', database: options.database },
      pool: { min: 0, max: options.poolSize, createTimeoutMillis: connectTimeoutMs + standardQueryMs },
      server: serverOptions(endpoint, options.database),
      readOnly,
      queryTimeoutMs: options.queryTimeoutMs ?? standardQueryMs,
    };
    return knex(config);
  };
  const db = pool(options.writer, false);
  return { db, reader: options.reader === undefined ? db : pool(options.reader, true) };
}
