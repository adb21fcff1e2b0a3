import { hash } from 'node:crypto';
import type { LogRow } from 'portcullis/sdk';
import { hourMs } from '../engine.ts';
import { clip, metadataPairs, type Stored } from '../rows.ts';
import { addToSketch, encodeSketch, mergeEncoded, type Sketch, sketchBucket } from '../sketch.ts';
import { dimensions, groupColumns, type Rollup, rollups, type Sum, sumNames } from './rollups.ts';
import { marks, pieces, type Sql } from './sql.ts';

interface Group {
  readonly organisationId: string;
  readonly hour: number;
  readonly digest: string;
  readonly of: readonly Stored[];
  readonly sums: Record<Sum, number>;
  firstSeen: number;
  lastSeen: number;
  readonly latency: Sketch;
}

const digestLength = 32;
const lookups = 400;

/** Adds requests to the hours that they fall into; part of the transaction that writes the requests. */
export async function addToRollups(sql: Sql, rows: readonly LogRow[]): Promise<void> {
  for (const rollup of Object.values<Rollup>(rollups)) await addTo(sql, rollup, groupsOf(rollup, rows));
}

function groupsOf(rollup: Rollup, rows: readonly LogRow[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const own = rollup.by.map((dimension) => groupValue(row, dimension));
    for (const of of rollup.ofMetadata ? metadataPairs(row).map((pair) => [...own, ...pair]) : [own]) {
      addRow(groupOf(groups, row, of), row);
    }
  }
  return [...groups.values()];
}

function groupValue(row: LogRow, dimension: Rollup['by'][number]): Stored {
  const { length } = dimensions[dimension];
  const value = row[dimension];
  return length === undefined ? Number(value) : clip(String(value ?? ''), length);
}

function groupOf(groups: Map<string, Group>, row: LogRow, of: readonly Stored[]): Group {
  const { organisationId } = row;
  const hour = Math.floor(row.createdAt / hourMs) * hourMs;
  const text = JSON.stringify(of);
  const key = `${organisationId} ${hour} ${text}`;
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group: Group = {
    organisationId,
    hour,
    digest: hash('sha256', text, 'hex').slice(0, digestLength),
    of,
    sums: Object.fromEntries(sumNames.map((name) => [name, 0])) as Record<Sum, number>,
    firstSeen: row.createdAt,
    lastSeen: row.createdAt,
    latency: new Map(),
  };
  groups.set(key, group);
  return group;
}

/** What the expressions of `sums` say in SQL, for one row. */
function addRow(group: Group, row: LogRow): void {
  const { sums } = group;
  const simple = row.cacheStatus === 'HIT';
  const semantic = row.cacheStatus === 'SEMANTIC HIT';
  const missed = row.cacheStatus === 'MISS' || row.cacheStatus === 'SEMANTIC MISS';
  const served = row.status < 400;
  sums.requests += 1;
  if (!served) sums.errors += 1;
  sums.cost_nano_usd += Math.round(row.costNanoUsd ?? 0);
  sums.input_tokens += Math.round(row.inputTokens ?? 0);
  sums.output_tokens += Math.round(row.outputTokens ?? 0);
  sums.total_tokens += Math.round(row.totalTokens ?? 0);
  if (simple) sums.simple_hits += 1;
  if (semantic) sums.semantic_hits += 1;
  if (simple || semantic || missed) sums.cache_lookups += 1;
  if (simple || semantic) {
    sums.saved_nano_usd += Math.round(row.savedNanoUsd ?? 0);
    sums.hit_ms += row.durationMs;
  }
  sums.duration_ms += row.durationMs;
  if (row.retries > 0 && served) sums.rescued_by_retry += 1;
  if (row.fallback && served) sums.rescued_by_fallback += 1;
  group.firstSeen = Math.min(group.firstSeen, row.createdAt);
  group.lastSeen = Math.max(group.lastSeen, row.createdAt);
  addToSketch(group.latency, sketchBucket(row.durationMs), 1);
}

async function addTo(sql: Sql, rollup: Rollup, groups: readonly Group[]): Promise<void> {
  if (groups.length === 0) return;
  if (rollup.latency) await mergeKnownSketches(sql, rollup, groups);
  const columns = [
    'organisation_id',
    'hour',
    'digest',
    ...groupColumns(rollup),
    ...sumNames,
    'first_seen',
    'last_seen',
    ...(rollup.latency ? ['latency'] : []),
  ];
  const rows = groups.map(({ organisationId, hour, digest, of, sums, firstSeen, lastSeen, latency }) => [
    organisationId,
    hour,
    digest,
    ...of,
    ...sumNames.map((name) => sums[name]),
    firstSeen,
    lastSeen,
    ...(rollup.latency ? [encodeSketch(latency)] : []),
  ]);
  await sql.insert(rollup.table, columns, rows, clashOf(sql.dialect, rollup));
}

/** What stands there already, locked against other processes where the database has other writers. */
async function mergeKnownSketches(sql: Sql, { table }: Rollup, groups: readonly Group[]): Promise<void> {
  const lock = sql.dialect === 'mysql' ? ' FOR UPDATE' : '';
  for (const some of Map.groupBy(groups, ({ organisationId, hour }) => `${organisationId} ${hour}`).values()) {
    const [first] = some;
    if (first === undefined) continue;
    const byDigest = new Map(some.map((group) => [group.digest, group]));
    for (const digests of pieces([...byDigest.keys()], lookups)) {
      const found = await sql.all(
        `SELECT digest, latency FROM ${table} WHERE organisation_id = ? AND hour = ? AND digest IN (${marks(digests.length)})${lock}`,
        [first.organisationId, first.hour, ...digests],
      );
      for (const { digest, latency } of found) {
        const group = byDigest.get(String(digest));
        if (group !== undefined) mergeEncoded(group.latency, latency as Uint8Array);
      }
    }
  }
}

function clashOf(dialect: Sql['dialect'], { table, latency }: Rollup): string {
  const given = (name: string) => (dialect === 'sqlite' ? `excluded.${name}` : `VALUES(${name})`);
  const [least, greatest] = dialect === 'sqlite' ? ['MIN', 'MAX'] : ['LEAST', 'GREATEST'];
  const changes = [
    ...sumNames.map((name) => `${name} = ${table}.${name} + ${given(name)}`),
    `first_seen = ${least}(${table}.first_seen, ${given('first_seen')})`,
    `last_seen = ${greatest}(${table}.last_seen, ${given('last_seen')})`,
    ...(latency ? [`latency = ${given('latency')}`] : []),
  ].join(', ');
  return dialect === 'sqlite'
    ? `ON CONFLICT (organisation_id, hour, digest) DO UPDATE SET ${changes}`
    : `ON DUPLICATE KEY UPDATE ${changes}`;
}
