import { setImmediate as pause } from 'node:timers/promises';
import type { LogStore } from 'portcullis/sdk';
import { logColumns } from '../columns.ts';
import { pruneRows } from '../engine.ts';
import { rowOf, type Stored, type StoredRow } from '../rows.ts';
import { rollups } from './rollups.ts';
import { marks, pieces, type Sql, type SqlDatabase } from './sql.ts';
import { metadataKeys } from './write.ts';

const lookups = 250;
const columns = logColumns.map(({ column }) => column).join(', ');

/** Deletes what is older, a transaction for each few thousand rows, and lets others write in between. */
export async function prune(
  database: SqlDatabase,
  { logs, metrics }: Parameters<LogStore['prune']>[0],
): Promise<number> {
  let gone = 0;
  for (const organisationId of await organisationsOf(database, 'logs')) {
    gone += await repeat(database, (sql) => pruneLogs(sql, organisationId, logs));
  }
  for (const organisationId of await organisationsOf(database, 'feedback')) {
    await repeat(database, (sql) => pruneFeedback(sql, organisationId, logs));
  }
  for (const { table } of Object.values(rollups)) {
    for (const organisationId of await organisationsOf(database, table)) {
      await repeat(database, (sql) => pruneRollup(sql, table, organisationId, metrics));
    }
  }
  return gone;
}

async function organisationsOf(sql: Sql, table: string): Promise<readonly string[]> {
  return (await sql.all(`SELECT DISTINCT organisation_id FROM ${table}`)).map((row) => String(row.organisation_id));
}

async function repeat(database: SqlDatabase, work: (sql: Sql) => Promise<number>): Promise<number> {
  let gone = 0;
  for (;;) {
    const some = await database.transaction(work);
    gone += some;
    await pause();
    if (some < pruneRows) return gone;
  }
}

async function pruneLogs(sql: Sql, organisationId: string, before: number): Promise<number> {
  const rows = await sql.all(
    `SELECT seq, ${columns} FROM logs WHERE organisation_id = ? AND created_at < ? ORDER BY created_at LIMIT ${pruneRows}`,
    [organisationId, before],
  );
  for (const some of pieces(rows, lookups)) {
    await sql.run(`DELETE FROM log_bodies WHERE organisation_id = ? AND id IN (${marks(some.length)})`, [
      organisationId,
      ...some.map(({ id }) => String(id)),
    ]);
    await sql.run(
      `DELETE FROM logs WHERE seq IN (${marks(some.length)})`,
      some.map(({ seq }) => Number(seq)),
    );
  }
  const keys = rows.flatMap((row: StoredRow) => metadataKeys(rowOf(row)));
  for (const some of pieces(keys, lookups)) await deleteMetadata(sql, some);
  return rows.length;
}

/** Row values would be looked for by a scan in some of the databases. */
async function deleteMetadata(sql: Sql, keys: readonly (readonly Stored[])[]): Promise<void> {
  const one = '(organisation_id = ? AND name = ? AND value = ? AND created_at = ? AND id = ?)';
  await sql.run(`DELETE FROM log_metadata WHERE ${keys.map(() => one).join(' OR ')}`, keys.flat());
}

async function pruneFeedback(sql: Sql, organisationId: string, before: number): Promise<number> {
  const rows = await sql.all(
    `SELECT seq FROM feedback WHERE organisation_id = ? AND created_at < ? ORDER BY created_at LIMIT ${pruneRows}`,
    [organisationId, before],
  );
  for (const some of pieces(rows, lookups)) {
    await sql.run(
      `DELETE FROM feedback WHERE seq IN (${marks(some.length)})`,
      some.map(({ seq }) => Number(seq)),
    );
  }
  return rows.length;
}

async function pruneRollup(sql: Sql, table: string, organisationId: string, before: number): Promise<number> {
  const rows = await sql.all(
    `SELECT hour, digest FROM ${table} WHERE organisation_id = ? AND hour < ? ORDER BY hour LIMIT ${pruneRows}`,
    [organisationId, before],
  );
  for (const [hour, some] of Map.groupBy(rows, (row) => Number(row.hour))) {
    for (const piece of pieces(some, lookups)) {
      await sql.run(
        `DELETE FROM ${table} WHERE organisation_id = ? AND hour = ? AND digest IN (${marks(piece.length)})`,
        [organisationId, hour, ...piece.map(({ digest }) => String(digest))],
      );
    }
  }
  return rows.length;
}
