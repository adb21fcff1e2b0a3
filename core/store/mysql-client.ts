import type { Knex } from 'knex';
import Base from 'knex/lib/dialects/mysql2/index.js';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';
import { checkedBindings } from './bindings.ts';
import { isConflict, StoreTimeout } from './failures.ts';
import { bareError } from './mysql-errors.ts';
import { collationsWanted, sessionStatements } from './mysql-session.ts';
import { currentPatience } from './patience.ts';
import { acquireOrExplain, type Query } from './queries.ts';

export interface MysqlConfig extends Knex.Config {
  readonly server: ConnectionOptions;
  /** Refuses every write. */
  readonly readOnly: boolean;
  readonly queryTimeoutMs: number;
}

/** A connection, and what knex writes on it so that its pool throws it away. */
interface Raw extends Connection {
  __knex__disposed?: unknown;
  readonly stream: { destroy(): void; readonly destroyed: boolean };
}

/** Of a running transaction. */
interface Condition {
  /** The conflict that it lost. The server may have undone it already: what came now would run outside of it. */
  lost?: unknown;
}

const conditions = new WeakMap<object, Condition>();
const quitMs = 500;

/** knex's dialect with a limit to every wait. It has no fields: knex copies the client of a transaction without them. */
export class MysqlClient extends Base {
  override async acquireRawConnection(): Promise<Raw> {
    const config = this.config as MysqlConfig;
    const connection = await connect(config.server);
    try {
      const settings = this.connectionSettings as { collate?: string };
      settings.collate ??= await collation(connection, config);
      for (const sql of sessionStatements(settings.collate, config)) {
        await ask(connection, sql, [], config.queryTimeoutMs);
      }
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  override async destroyRawConnection(connection: Raw): Promise<void> {
    if (connection.__knex__disposed === undefined) await farewell(connection);
    connection.destroy();
    connection.stream.destroy();
  }

  override acquireConnection(): Promise<unknown> {
    return acquireOrExplain(this.config, () => super.acquireConnection());
  }

  async _query(connection: Raw, query: Query): Promise<Query> {
    const { sql } = query;
    const limit = currentPatience() ?? (this.config as MysqlConfig).queryTimeoutMs;
    if (/^BEGIN\b/.test(sql)) conditions.set(connection, {});
    const condition = conditions.get(connection);
    const ends = /^(COMMIT|ROLLBACK);?$/.test(sql);
    if (ends) conditions.delete(connection);
    if (condition?.lost !== undefined && !sql.startsWith('ROLLBACK')) {
      // Locks that were waited for in vain leave the rest of the transaction open.
      if (ends) await ask(connection, 'ROLLBACK', [], limit);
      throw condition.lost;
    }
    try {
      query.response = await ask(connection, sql, checkedBindings(query.bindings), limit, query.options);
      return query;
    } catch (error) {
      if (condition !== undefined && isConflict(error)) condition.lost = error;
      throw error;
    }
  }
}

function connect(server: ConnectionOptions): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(server) as Raw;
    connection.on('error', (error) => {
      connection.__knex__disposed = error;
    });
    connection.connect((error) => (error === null ? resolve(connection) : reject(bareError(error))));
  });
}

/** One round trip. A connection that missed its limit is cut: its answer could come at any time, or never. */
function ask(
  connection: Raw,
  sql: string,
  bindings: unknown[],
  limitMs: number,
  options: object = {},
): Promise<[unknown, unknown]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new StoreTimeout(`The database did not answer within ${limitMs} ms.`);
      connection.__knex__disposed = error;
      reject(error);
      connection.destroy();
      connection.stream.destroy();
    }, limitMs);
    connection.query({ ...options, sql }, bindings, (error, rows, fields) => {
      clearTimeout(timer);
      if (error === null) resolve([rows, fields]);
      else reject(bareError(error));
    });
  });
}

async function collation(connection: Raw, { queryTimeoutMs }: MysqlConfig): Promise<string> {
  const [rows] = await ask(connection, 'show collation', [], queryTimeoutMs);
  const names = new Set((rows as { Collation: string }[]).map((row) => row.Collation));
  return collationsWanted.find((name) => names.has(name)) ?? 'utf8mb4_bin';
}

/** Says goodbye, so that the server logs no aborted connection; does not wait for one that is frozen. */
function farewell(connection: Raw): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, quitMs);
    connection.end(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
