import type { Db, Job } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';
import { countersTable as table } from './tables.ts';

const keptMs = 400 * 86_400_000;
const batchRows = 200;
/** Of one run: what is left over waits for the next day. */
const mostBatches = 500;

interface EndedCount {
  readonly organisation_id: string;
  readonly name: string;
  readonly start: number | string;
}

/**
 * Removes counts of periods that ended more than 400 days ago: what has counted since has done so in a later period, which
 * is that old too. The last count of a name stays, however old it is: that of a budget without reset is one.
 * @param now epoch milliseconds
 */
export function endedCountsJob({ db }: Pick<Store, 'db'>, now: () => number): Job {
  return {
    name: 'core.ended-counts',
    schedule: '20 4 * * *',
    async run() {
      const before = now() - keptMs;
      for (let batch = 0; batch < mostBatches; batch += 1) {
        const ended = await endedCounts(db, before);
        await remove(db, ended);
        if (ended.length < batchRows) return;
      }
    },
  };
}

/** What has not changed since then is found by an index; only of that is asked whether another period has followed. */
async function endedCounts(db: Db, before: number): Promise<readonly EndedCount[]> {
  const columns = ['organisation_id', 'name', 'start'].map((column) => `past.${column}`);
  return (await db(`${table} as past`)
    .select(columns)
    .where('past.changed_at', '<', before)
    .whereExists(
      db(`${table} as later`)
        .select('later.start')
        .where('later.start', '<', before)
        .andWhereRaw(
          'later.organisation_id = past.organisation_id and later.name = past.name and later.start > past.start',
        ),
    )
    .orderBy('past.changed_at')
    .limit(batchRows)) as readonly EndedCount[];
}

// By their keys, in a statement of its own: MySQL deletes nothing from a table that the same statement asks.
async function remove(db: Db, ended: readonly EndedCount[]): Promise<void> {
  if (ended.length === 0) return;
  await db(table)
    .whereIn(
      ['organisation_id', 'name', 'start'],
      ended.map(({ organisation_id, name, start }) => [organisation_id, name, start]),
    )
    .delete();
}
