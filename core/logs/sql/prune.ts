import { setImmediate as pause } from 'node:timers/promises';
import type { LogStore } from 'portcullis/sdk';
import { dayMs, pruneRows } from '../engine.ts';
import type { Stored, StoredRow } from '../rows.ts';
import { type Rollup, rollups, tableOf } from './rollups.ts';
import { marks, pieces, type Sql, type SqlDatabase } from './sql.ts';

const lookups = 250;
/** Their pages are many. */
const pruneBlockRows = 100;

/** Deletes what is older, a transaction for each few thousand rows, and lets others write in between. */
export async function prune(
  database: SqlDatabase,
  { logs, metrics }: Parameters<LogStore['prune']>[0],
): Promise<number> {
  let gone = 0;
  for (const organisationId of await organisationsOf(database, 'logs')) {
    gone += await repeat(database, (sql) => pruneLogs(sql, organisationId, logs));
  }
  await repeat(database, (sql) => pruneBlocks(sql, logs), pruneBlockRows);
  for (const organisationId of await organisationsOf(database, 'feedback')) {
    await repeat(database, (sql) => pruneFeedback(sql, organisationId, logs));
  }
  for (const rollup of Object.values<Rollup>(rollups)) {
    // A day goes with the last of its hours.
    await pruneRollups(database, tableOf(rollup, 'hours'), metrics);
    await pruneRollups(database, tableOf(rollup, 'days'), metrics - dayMs + 1);
  }
  return gone;
}

async function pruneRollups(database: SqlDatabase, table: string, before: number): Promise<void> {
  for (const organisationId of await organisationsOf(database, table)) {
    await repeat(database, (sql) => pruneRollup(sql, table, organisationId, before));
  }
}

async function organisationsOf(sql: Sql, table: string): Promise<readonly string[]> {
  return (await sql.all(`SELECT DISTINCT organisation_id FROM ${table}`)).map((row) => String(row.organisation_id));
}

async function repeat(database: SqlDatabase, work: (sql: Sql) => Promise<number>, atOnce = pruneRows): Promise<number> {
  let gone = 0;
  for (;;) {
    const some = await database.transaction(work);
    gone += some;
    await pause();
    if (some < atOnce) return gone;
  }
}

async function pruneLogs(sql: Sql, organisationId: string, before: number): Promise<number> {
  const rows = await sql.all(
    `SELECT seq, organisation_id, created_at, metadata FROM logs WHERE organisation_id = ? AND created_at < ? ORDER BY created_at LIMIT ${pruneRows}`,
    [organisationId, before],
  );
  for (const some of pieces(rows, lookups)) {
    await sql.run(
      `DELETE FROM logs WHERE seq IN (${marks(some.length)})`,
      some.map(({ seq }) => Number(seq)),
    );
  }
  for (const some of pieces(rows.flatMap(metadataKeys), lookups)) await deleteMetadata(sql, some);
  return rows.length;
}

/** The rows of `log_metadata` that belong to a request. */
function metadataKeys({ seq, organisation_id: organisationId, created_at: at, metadata }: StoredRow): Stored[][] {
  return Object.entries(JSON.parse(String(metadata)) as Record<string, string>).map(([name, value]) => [
    String(organisationId),
    name,
    value,
    Number(at),
    Number(seq),
  ]);
}

/** A block goes with the last of its requests. */
async function pruneBlocks(sql: Sql, before: number): Promise<number> {
  const blocks = await sql.all(
    `SELECT seq FROM log_blocks WHERE last_at < ? ORDER BY last_at LIMIT ${pruneBlockRows}`,
    [before],
  );
  await sql.run(
    `DELETE FROM log_blocks WHERE seq IN (${marks(Math.max(1, blocks.length))})`,
    blocks.length === 0 ? [0] : blocks.map(({ seq }) => Number(seq)),
  );
  return blocks.length;
}

/** Row values would be looked for by a scan in some of the databases. */
async function deleteMetadata(sql: Sql, keys: readonly (readonly Stored[])[]): Promise<void> {
  const one = '(organisation_id = ? AND name = ? AND value = ? AND created_at = ? AND seq = ?)';
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
    `SELECT slot, digest FROM ${table} WHERE organisation_id = ? AND slot < ? ORDER BY slot LIMIT ${pruneRows}`,
    [organisationId, before],
  );
  for (const [slot, some] of Map.groupBy(rows, (row) => Number(row.slot))) {
    for (const piece of pieces(some, lookups)) {
      await sql.run(
        `DELETE FROM ${table} WHERE organisation_id = ? AND slot = ? AND digest IN (${marks(piece.length)})`,
        [organisationId, slot, ...piece.map(({ digest }) => String(digest))],
      );
    }
  }
  return rows.length;
}
