import { GatewayError } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';

/** A table with a `sealed` column, and the column of its primary key. */
export interface SealedTable {
  readonly name: string;
  readonly key: string;
}

/** A row of such a table that holds a secret: all columns. */
export interface SealedRow {
  readonly sealed: string;
  readonly [column: string]: unknown;
}

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly isKey: number;
}

const sqliteColumns = `
  select m.name as "table", c.name as "column", c.pk > 0 as "isKey"
  from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`;
const mysqlColumns = `
  select table_name as \`table\`, column_name as \`column\`, column_key = 'PRI' as \`isKey\`
  from information_schema.columns where table_schema = database()`;

/**
 * Every table with a `sealed` column, by name.
 * @throws GatewayError `internal` for one whose primary key is not a single column
 */
export async function sealedTables({ db, dialect }: Store): Promise<readonly SealedTable[]> {
  const columns: readonly ColumnRow[] =
    dialect === 'sqlite' ? await db.raw(sqliteColumns) : (await db.raw(mysqlColumns))[0];
  const names = columns.filter(({ column }) => column === 'sealed').map(({ table }) => table);
  return names.toSorted().map((name): SealedTable => {
    const [key, another] = columns.filter(({ table, isKey }) => table === name && isKey === 1);
    if (key !== undefined && another === undefined) return { name, key: key.column };
    throw new GatewayError('internal', `The table ${name} holds secrets, and its primary key is not a single column.`);
  });
}

/** The rows that hold a secret, a page at a time, in the order of the key. */
export async function* sealedPages(
  { db }: Store,
  { name, key }: SealedTable,
  size: number,
): AsyncGenerator<readonly SealedRow[]> {
  for (let last = ''; ; ) {
    const rows: readonly SealedRow[] = await db(name)
      .whereNotNull('sealed')
      .andWhere(key, '>', last)
      .orderBy(key)
      .limit(size);
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    last = String(end[key]);
  }
}
