import type { IndexedRow } from '../row-line.ts';
import { encodeSketch, mergeEncoded } from '../sketch.ts';
import { daysOf, HourGroups, type RollupGroup } from './rollup-groups.ts';
import { groupColumns, type Rollup, rollups, sumNames, tableOf } from './rollups.ts';
import { marks, pieces, type Sql } from './sql.ts';

const lookups = 400;

/** Adds requests to the hours and days that they fall into; part of the transaction that writes the requests. */
export async function addToRollups(sql: Sql, rows: readonly IndexedRow[]): Promise<void> {
  for (const rollup of Object.values<Rollup>(rollups)) {
    const hours = new HourGroups(rollup);
    hours.add(rows);
    await addGroups(sql, rollup, hours.groups);
  }
}

/** Adds groups of hours, each given once, to their hours and days. */
export async function addGroups(sql: Sql, rollup: Rollup, hours: readonly RollupGroup[]): Promise<void> {
  const days = daysOf(hours);
  await addTo(sql, rollup, tableOf(rollup, 'hours'), hours);
  await addTo(sql, rollup, tableOf(rollup, 'days'), days);
}

async function addTo(sql: Sql, rollup: Rollup, table: string, groups: readonly RollupGroup[]): Promise<void> {
  if (groups.length === 0) return;
  if (rollup.latency) await mergeKnownSketches(sql, table, groups);
  const columns = [
    'organisation_id',
    'slot',
    'digest',
    ...groupColumns(rollup),
    ...sumNames,
    'first_seen',
    'last_seen',
    ...(rollup.latency ? ['latency'] : []),
  ];
  const rows = groups.map(({ organisationId, slot, digest, of, sums, firstSeen, lastSeen, latency }) => [
    organisationId,
    slot,
    digest,
    ...of,
    ...sumNames.map((name) => sums[name]),
    firstSeen,
    lastSeen,
    ...(rollup.latency ? [encodeSketch(latency)] : []),
  ]);
  await sql.insert(table, columns, rows, clashOf(sql.dialect, table, rollup));
}

/** What stands there already, locked against other processes where the database has other writers. */
async function mergeKnownSketches(sql: Sql, table: string, groups: readonly RollupGroup[]): Promise<void> {
  const lock = sql.dialect === 'mysql' ? ' FOR UPDATE' : '';
  for (const some of Map.groupBy(groups, ({ organisationId, slot }) => `${organisationId} ${slot}`).values()) {
    const [first] = some;
    if (first === undefined) continue;
    const byDigest = new Map(some.map((group) => [group.digest, group]));
    for (const digests of pieces([...byDigest.keys()], lookups)) {
      const found = await sql.all(
        `SELECT digest, latency FROM ${table} WHERE organisation_id = ? AND slot = ? AND digest IN (${marks(digests.length)})${lock}`,
        [first.organisationId, first.slot, ...digests],
      );
      for (const { digest, latency } of found) {
        const group = byDigest.get(String(digest));
        if (group !== undefined) mergeEncoded(group.latency, latency as Uint8Array);
      }
    }
  }
}

function clashOf(dialect: Sql['dialect'], table: string, { latency }: Rollup): string {
  const given = (name: string) => (dialect === 'sqlite' ? `excluded.${name}` : `VALUES(${name})`);
  const [least, greatest] = dialect === 'sqlite' ? ['MIN', 'MAX'] : ['LEAST', 'GREATEST'];
  const changes = [
    ...sumNames.map((name) => `${name} = ${table}.${name} + ${given(name)}`),
    `first_seen = ${least}(${table}.first_seen, ${given('first_seen')})`,
    `last_seen = ${greatest}(${table}.last_seen, ${given('last_seen')})`,
    ...(latency ? [`latency = ${given('latency')}`] : []),
  ].join(', ');
  return dialect === 'sqlite'
    ? `ON CONFLICT (organisation_id, slot, digest) DO UPDATE SET ${changes}`
    : `ON DUPLICATE KEY UPDATE ${changes}`;
}
