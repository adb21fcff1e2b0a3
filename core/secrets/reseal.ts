import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';
import { newestActiveFrom } from './key-ring.ts';
import { type SealedRow, type SealedTable, sealedPages, sealedTables } from './sealed-tables.ts';
import type { Vault } from './vault.ts';

/** What the secrets of a row were sealed for; by table, for tables where it is not `<table>/<primary key>`. */
export type SealContexts = Readonly<Record<string, (row: SealedRow) => string>>;

export interface RotationOptions {
  readonly contexts?: SealContexts;
  /** How long running gateways have to learn of the new key, in milliseconds; 0 when none is running. */
  readonly graceMs: number;
  /** Rows a transaction. Default 100. */
  readonly batch?: number;
  readonly now?: () => number;
  readonly note?: (text: string) => void;
}

export interface Rotation {
  /** How many rows were sealed anew. */
  readonly changed: number;
  /** The contexts of rows that no key opens; they are left as they are. */
  readonly unreadable: readonly string[];
}

/** A stored secret that the newest key did not seal. */
interface Stale {
  readonly row: SealedRow;
  readonly context: string;
  readonly plain: string | undefined;
}

/**
 * Makes a new data key and seals every stored secret with it. Safe while gateways serve: the new key is used only when
 * all of them know it, and a row that changes meanwhile is left to whoever changed it. Broken off, it goes on where it
 * was: no further key is made while there are rows under an old one.
 */
export async function rotateData(store: Store, vault: Vault, options: RotationOptions): Promise<Rotation> {
  const { graceMs, batch = 100, contexts = {}, now = Date.now, note = () => {} } = options;
  const tables = await sealedTables(store);
  const staleRows = (table: SealedTable, rows: readonly SealedRow[]) => stale(vault, table, rows, contexts);
  if ((await newestActiveFrom(store)) <= now() && !(await isUnfinished(store, tables, staleRows))) {
    await vault.rotateDataKey(now() + graceMs);
  }
  const waitMs = (await newestActiveFrom(store)) - now();
  if (waitMs > 0) {
    note(`Waiting ${Math.ceil(waitMs / 1000)} s until all running gateways know the new key.`);
    await sleep(waitMs);
  }
  await vault.refresh();
  const unreadable: string[] = [];
  let changed = 0;
  for (const table of tables) {
    for await (const rows of sealedPages(store, table, batch)) {
      const found = staleRows(table, rows);
      unreadable.push(...found.filter(({ plain }) => plain === undefined).map(({ context }) => context));
      changed += await write(store, vault, table, found);
    }
  }
  return { changed, unreadable };
}

type StaleRows = (table: SealedTable, rows: readonly SealedRow[]) => readonly Stale[];

async function isUnfinished(store: Store, tables: readonly SealedTable[], staleRows: StaleRows): Promise<boolean> {
  for (const table of tables) {
    for await (const rows of sealedPages(store, table, 500)) {
      if (staleRows(table, rows).some(({ plain }) => plain !== undefined)) return true;
    }
  }
  return false;
}

function stale(
  vault: Vault,
  { name, key }: SealedTable,
  rows: readonly SealedRow[],
  contexts: SealContexts,
): readonly Stale[] {
  const contextOf = contexts[name] ?? ((row: SealedRow) => `${name}/${row[key]}`);
  return rows
    .filter(({ sealed }) => !vault.isCurrent(sealed))
    .map((row): Stale => {
      const context = contextOf(row);
      return { row, context, plain: opened(vault, row.sealed, context) };
    });
}

function opened(vault: Vault, sealed: string, context: string): string | undefined {
  try {
    return vault.unseal(sealed, context);
  } catch (error) {
    if (GatewayError.is(error)) return undefined;
    throw error;
  }
}

function write(store: Store, vault: Vault, { name, key }: SealedTable, found: readonly Stale[]): Promise<number> {
  return store.transaction(async (trx) => {
    let written = 0;
    for (const { row, context, plain } of found) {
      if (plain === undefined) continue;
      const unchanged = { [key]: row[key], sealed: row.sealed };
      written += await trx(name)
        .where(unchanged)
        .update({ sealed: vault.seal(plain, context) });
    }
    return written;
  });
}
