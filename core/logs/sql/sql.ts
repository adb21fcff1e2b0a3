import type { Stored, StoredRow } from '../rows.ts';

export type Dialect = 'sqlite' | 'mysql' | 'clickhouse';

/** A database that can be asked. Queries are written for all dialects; `?` stands for each value. */
export interface QuerySql {
  readonly dialect: Dialect;
  all(sql: string, values?: readonly Stored[]): Promise<readonly StoredRow[]>;
}

/** The little of a database that the logs need. */
export interface Sql extends QuerySql {
  readonly dialect: 'sqlite' | 'mysql';
  /** Gives how many rows it changed. */
  run(sql: string, values?: readonly Stored[]): Promise<number>;
  /** Inserts rows of values; `clash` says what to do about those that are there. */
  insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly Stored[])[],
    clash?: string,
  ): Promise<void>;
  /** Inserts one row. Gives the number that the table gave it. */
  add(table: string, columns: readonly string[], row: readonly Stored[]): Promise<number>;
}

export interface SqlDatabase extends Sql {
  /** All of the work or none; conflicts with other processes run it again. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Reads of one state, where the database has one for its readers. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** `?, ?, ?` */
export function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

/** In pieces of at most so many. */
export function* pieces<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
