import type { Db, Migration } from 'portcullis/sdk';
import type { VersionsReply } from './source.ts';

const table = 'directory_versions';

/**
 * How far back each question reaches behind its cursor, in milliseconds: as much as a transaction may take to become
 * visible, and as much as the clocks of two writers may differ.
 */
export const overlapMs = 300_000;

/** More rows than this are not listed: then everything counts as changed. */
const mostListed = 10_000;

/** To be run in the set `core`. */
export const directoryMigrations: readonly Migration[] = [
  {
    name: '001_directory_versions',
    up: async (db) => {
      await db.schema.createTable(table, (columns) => {
        columns.string('organisation_id', 36).notNullable().primary();
        columns.bigInteger('version').notNullable();
        columns.bigInteger('changed_at').notNullable().index();
      });
    },
  },
];

/**
 * Marks what is known of an organisation as stale, from the commit on. Call it inside the writing transaction, late: the
 * row stays locked until the commit.
 * @param now epoch milliseconds
 */
export async function bumpVersion(db: Db, organisationId: string, now: number): Promise<void> {
  const own = (column: string) => `${table}.${column}`;
  await db(table)
    .insert({ organisation_id: organisationId, version: 1, changed_at: now })
    .onConflict('organisation_id')
    .merge({
      version: db.raw('?? + 1', [own('version')]),
      // A writer whose clock is behind must not hide its change from those who have seen a later one.
      changed_at: db.raw('case when ?? > ? then ?? else ? end', [own('changed_at'), now, own('changed_at'), now]),
    });
}

/**
 * The organisations changed since a cursor, less the overlap: a repetition does no harm, because versions are compared.
 * @param since 0: from the latest change on
 * @param now epoch milliseconds: a writer whose clock is ahead must not carry the cursor along
 */
export async function readVersions(db: Db, since: number, now: number): Promise<VersionsReply> {
  const latest = await latestChange(db);
  const cursor = Math.min(latest, now);
  const from = (since === 0 ? cursor : Math.min(since, cursor)) - overlapMs;
  const rows: readonly { organisation_id: string; version: number | string }[] = await db(table)
    .select('organisation_id', 'version')
    .where('changed_at', '>=', from)
    .limit(mostListed + 1);
  if (rows.length > mostListed) return { versions: [], cursor, all: true };
  const versions = rows.map(({ organisation_id, version }) => ({
    organisationId: organisation_id,
    version: Number(version),
  }));
  return { versions, cursor, all: false };
}

async function latestChange(db: Db): Promise<number> {
  const rows: readonly { latest: number | string | null }[] = await db(table).max('changed_at as latest');
  return Number(rows[0]?.latest ?? 0);
}
