import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeDataFolder } from '../../store/data-folder.ts';
import type { Stored, StoredRow } from '../rows.ts';
import { marks, type Sql, type SqlDatabase } from './sql.ts';

const mostStatements = 200;
/** Of 4 KiB. Callers' names of traces are random: a page of that index is changed by many batches, and best brought home once for all. */
const checkpointPages = 8000;
/** Rows of one insert, as many as are left of each: a statement costs as much as many of its values. */
const rowsAtOnce = [100, 10, 1] as const;
/** The wait for another process that writes; only the thread of the logs waits. */
const busyMs = 5000;

/** Opens the file, in a thread that serves nothing else: every statement holds the thread until it is done. */
export function openSqlite(file: string, readOnly: boolean): SqlDatabase {
  makeDataFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: busyMs });
  const pragmas = readOnly
    ? ['query_only=ON', 'cache_size=-32000']
    : ['journal_mode=WAL', 'synchronous=NORMAL', 'cache_size=-32000', `wal_autocheckpoint=${checkpointPages}`];
  for (const pragma of pragmas) database.exec(`PRAGMA ${pragma}`);
  database.exec('PRAGMA case_sensitive_like=ON; PRAGMA temp_store=MEMORY');
  const statements = new Map<string, StatementSync>();

  /** @param text makes its text, where that is long and its name is not */
  function prepared(name: string, text = () => name): StatementSync {
    const known = statements.get(name);
    if (known !== undefined) return known;
    const statement = database.prepare(text());
    if (statements.size >= mostStatements) statements.clear();
    statements.set(name, statement);
    return statement;
  }

  function inserting(table: string, columns: readonly string[], rows: number, clash: string): StatementSync {
    const head = `INSERT INTO ${table} (${columns.join(', ')}) VALUES`;
    return prepared(`${rows} ${head} ${clash}`, () => {
      const row = `(${marks(columns.length)})`;
      return `${head} ${Array.from({ length: rows }, () => row).join(', ')} ${clash}`;
    });
  }

  const sql: Sql = {
    dialect: 'sqlite',
    all: async (text, values = []) => prepared(text).all(...(values as Stored[])) as readonly StoredRow[],
    run: async (text, values = []) => Number(prepared(text).run(...(values as Stored[])).changes),
    insert: async (table, columns, rows, clash = '') => {
      let done = 0;
      for (const atOnce of rowsAtOnce) {
        while (rows.length - done >= atOnce) {
          const values: Stored[] = [];
          for (const row of rows.slice(done, done + atOnce)) values.push(...row);
          inserting(table, columns, atOnce, clash).run(...values);
          done += atOnce;
        }
      }
    },
    add: async (table, columns, row) => {
      const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks(columns.length)})`;
      return Number(prepared(text).run(...(row as Stored[])).lastInsertRowid);
    },
  };
  let reads: Promise<unknown> = Promise.resolve();
  return {
    ...sql,
    snapshot: (work) => {
      // One after the other: there is one connection, and it has one transaction.
      const read = reads.then(async () => {
        database.exec('BEGIN');
        try {
          return await work(sql);
        } finally {
          if (database.isTransaction) database.exec('COMMIT');
        }
      });
      reads = read.catch(() => {});
      return read;
    },
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
