import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeDataFolder } from '../../store/data-folder.ts';
import type { Stored, StoredRow } from '../rows.ts';
import { marks, type Sql, type SqlDatabase } from './sql.ts';

const mostStatements = 200;
/** The wait for another process that writes; only the thread of the logs waits. */
const busyMs = 5000;

/** Opens the file, in a thread that serves nothing else: every statement holds the thread until it is done. */
export function openSqlite(file: string, readOnly: boolean): SqlDatabase {
  makeDataFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: busyMs });
  const pragmas = readOnly
    ? ['query_only=ON', 'cache_size=-32000']
    : ['journal_mode=WAL', 'synchronous=NORMAL', 'cache_size=-32000'];
  for (const pragma of pragmas) database.exec(`PRAGMA ${pragma}`);
  database.exec('PRAGMA case_sensitive_like=ON; PRAGMA temp_store=MEMORY');
  const statements = new Map<string, StatementSync>();

  function prepared(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    if (statements.size >= mostStatements) statements.clear();
    statements.set(sql, statement);
    return statement;
  }

  const sql: Sql = {
    dialect: 'sqlite',
    all: async (text, values = []) => prepared(text).all(...(values as Stored[])) as readonly StoredRow[],
    run: async (text, values = []) => Number(prepared(text).run(...(values as Stored[])).changes),
    insert: async (table, columns, rows, clash = '') => {
      const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks(columns.length)}) ${clash}`;
      const statement = prepared(text);
      for (const row of rows) statement.run(...(row as Stored[]));
    },
  };
  return {
    ...sql,
    transaction: async (work) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(sql);
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    close: async () => {
      statements.clear();
      database.close();
    },
  };
}
