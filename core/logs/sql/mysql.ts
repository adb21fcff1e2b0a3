import type { Knex } from 'knex';
import type { Log } from 'portcullis/sdk';
import { openStore, type StoreOptions } from '../../store/store.ts';
import type { Stored, StoredRow } from '../rows.ts';
import { marks, type Sql, type SqlDatabase } from './sql.ts';

/** Below the packet of a server that was never adjusted. */
const statementBytes = 1_000_000;
const statementRows = 500;

/** Opens a small pool of its own on the server of the records. */
export async function openMysql(options: StoreOptions & { readonly kind: 'mysql' }, log: Log): Promise<SqlDatabase> {
  const store = await openStore({ ...options, poolSize: 2 }, log);
  return {
    ...over(store.db),
    // Rollups are written with their rows here: reads that follow each other differ by whole batches at most.
    snapshot: (work) => work(over(store.db)),
    transaction: (work) => store.transaction((trx) => work(over(trx))),
    close: () => store.close(),
  };
}

function over(db: Knex): Sql {
  const ask = async (text: string, values: readonly Stored[]) =>
    ((await db.raw(text, values.map(bound))) as [unknown, unknown])[0];
  return {
    dialect: 'mysql',
    all: async (text, values = []) => (await ask(text, values)) as readonly StoredRow[],
    run: async (text, values = []) => ((await ask(text, values)) as { affectedRows: number }).affectedRows,
    insert: async (table, columns, rows, clash = '') => {
      const row = `(${marks(columns.length)})`;
      for (const piece of byBytes(rows)) {
        const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${piece.map(() => row).join(', ')} ${clash}`;
        await ask(text, piece.flat());
      }
    },
    add: async (table, columns, row) => {
      const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks(columns.length)})`;
      return ((await ask(text, row)) as { insertId: number }).insertId;
    },
  };
}

/** The driver knows bytes by Buffer alone. */
function bound(value: Stored): string | number | Buffer | null {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

function* byBytes(rows: readonly (readonly Stored[])[]): Generator<readonly (readonly Stored[])[]> {
  let piece: (readonly Stored[])[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = row.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (piece.length > 0 && (bytes + size > statementBytes || piece.length === statementRows)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(row);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

function sizeOf(value: Stored): number {
  if (typeof value === 'string') return value.length * 3;
  // Bytes are written as hexadecimal digits.
  return value instanceof Uint8Array ? value.byteLength * 2 : 20;
}
