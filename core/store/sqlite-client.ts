import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import Base from 'knex/lib/dialects/better-sqlite3/index.js';
import SqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js';
import { checkedBindings } from './bindings.ts';
import { isBusy } from './failures.ts';
import { acquireOrExplain, type Query } from './queries.ts';

export interface SqliteConfig extends Knex.Config {
  readonly file: string;
  /** Refuses every write. */
  readonly readOnly: boolean;
  /** How long a statement waits for another process's write lock. */
  readonly queryTimeoutMs: number;
}

const mostStatements = 256;
// SQLite's own wait stops the event loop, so it is short, and the longer one is made of pauses in between.
const ownWaitMs = 20;
const longestPauseMs = 25;
const cacheable = /^\s*(select|insert|update|delete|with)\b/i;

interface Prepared {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

const statements = new WeakMap<DatabaseSync, Map<string, Prepared>>();

class Transaction extends SqliteTransaction {
  /** A deferred BEGIN that writes after another process wrote fails at once, however long the patience. */
  begin(connection: unknown): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

/** knex's dialect over Node's own SQLite. It has no fields: knex copies the client of a transaction without them. */
export class SqliteClient extends Base {
  _driver(): unknown {
    return DatabaseSync;
  }

  override async acquireRawConnection(): Promise<DatabaseSync> {
    const { file, readOnly } = this.config as SqliteConfig;
    const database = new DatabaseSync(file, { timeout: ownWaitMs });
    for (const pragma of readOnly ? ['query_only=ON'] : ['journal_mode=WAL', 'synchronous=NORMAL']) {
      await patiently(this.config as SqliteConfig, () => database.exec(`PRAGMA ${pragma}`));
    }
    // LIKE would find "ABC" by "abc" here, and nowhere else.
    database.exec('PRAGMA foreign_keys=ON; PRAGMA case_sensitive_like=ON; PRAGMA cache_size=-16000');
    statements.set(database, new Map());
    return database;
  }

  override async destroyRawConnection(database: DatabaseSync): Promise<void> {
    statements.delete(database);
    if (database.isOpen) database.close();
  }

  override validateConnection(database: DatabaseSync): Promise<boolean> {
    return Promise.resolve(database.isOpen);
  }

  override acquireConnection(): Promise<unknown> {
    return acquireOrExplain(this.config, () => super.acquireConnection());
  }

  override transaction(container: unknown, config: unknown, outer: unknown): Knex.Transaction {
    return new Transaction(this, container, config, outer) as unknown as Knex.Transaction;
  }

  async _query(database: DatabaseSync, query: Query): Promise<Query> {
    const bindings = checkedBindings(query.bindings).map((value) =>
      typeof value === 'boolean' ? Number(value) : value,
    );
    return patiently(this.config as SqliteConfig, () => {
      const { statement, givesRows } = prepare(database, query.sql);
      if (givesRows) {
        query.response = statement.all(...bindings).map((row) => ({ ...row }));
        return query;
      }
      const { changes, lastInsertRowid } = statement.run(...bindings);
      query.response = { changes };
      query.context = { changes: Number(changes), lastID: lastInsertRowid };
      return query;
    });
  }
}

function prepare(database: DatabaseSync, sql: string): Prepared {
  const known = statements.get(database) ?? new Map<string, Prepared>();
  const found = known.get(sql);
  if (found !== undefined) {
    known.delete(sql);
    known.set(sql, found);
    return found;
  }
  const statement = database.prepare(sql);
  const prepared = { statement, givesRows: statement.columns().length > 0 };
  if (cacheable.test(sql)) known.set(sql, prepared);
  const oldest = known.size > mostStatements ? known.keys().next() : undefined;
  if (oldest?.done === false) known.delete(oldest.value);
  return prepared;
}

async function patiently<T>({ queryTimeoutMs }: SqliteConfig, work: () => T): Promise<T> {
  const end = performance.now() + queryTimeoutMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
      await sleep(1 + Math.random() * longestPauseMs);
    }
  }
}
