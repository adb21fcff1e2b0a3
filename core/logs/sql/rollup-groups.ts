import { hash } from 'node:crypto';
import type { LogRow } from 'portcullis/sdk';
import { dayMs, hourMs } from '../engine.ts';
import { clip, metadataPairs, type Stored } from '../rows.ts';
import { addToSketch, type Sketch, sketchBucket } from '../sketch.ts';
import { dimensions, type Rollup, type Sum, sumNames } from './rollups.ts';

/** Requests of one slot, an hour or a day, that a rollup counts together. */
export interface RollupGroup {
  readonly organisationId: string;
  readonly slot: number;
  readonly digest: string;
  readonly of: readonly Stored[];
  readonly sums: Record<Sum, number>;
  firstSeen: number;
  lastSeen: number;
  readonly latency: Sketch;
}

const digestLength = 32;

export function emptyGroup(organisationId: string, slot: number, of: readonly Stored[], seen: number): RollupGroup {
  return {
    organisationId,
    slot,
    digest: hash('sha256', JSON.stringify(of), 'hex').slice(0, digestLength),
    of,
    sums: Object.fromEntries(sumNames.map((name) => [name, 0])) as Record<Sum, number>,
    firstSeen: seen,
    lastSeen: seen,
    latency: new Map(),
  };
}

/** The groups of requests by the hour. */
export function groupsOfRows(rollup: Rollup, rows: readonly LogRow[]): readonly RollupGroup[] {
  const groups = new Map<string, RollupGroup>();
  for (const row of rows) {
    const own = rollup.by.map((dimension) => groupValue(row, dimension));
    for (const of of rollup.ofMetadata ? metadataPairs(row).map((pair) => [...own, ...pair]) : [own]) {
      addRow(groupOf(groups, row, of), row);
    }
  }
  return [...groups.values()];
}

/** The same requests by the day. */
export function daysOf(hours: readonly RollupGroup[]): readonly RollupGroup[] {
  const days = new Map<string, RollupGroup>();
  for (const hour of hours) {
    const { organisationId, digest, of, firstSeen } = hour;
    const slot = Math.floor(hour.slot / dayMs) * dayMs;
    const key = `${organisationId} ${slot} ${digest}`;
    const known = days.get(key);
    const day = known ?? emptyGroup(organisationId, slot, of, firstSeen);
    if (known === undefined) days.set(key, day);
    for (const name of sumNames) day.sums[name] += hour.sums[name];
    day.firstSeen = Math.min(day.firstSeen, hour.firstSeen);
    day.lastSeen = Math.max(day.lastSeen, hour.lastSeen);
    for (const [bucket, count] of hour.latency) addToSketch(day.latency, bucket, count);
  }
  return [...days.values()];
}

function groupValue(row: LogRow, dimension: Rollup['by'][number]): Stored {
  const { length } = dimensions[dimension];
  const value = row[dimension];
  return length === undefined ? Number(value) : clip(String(value ?? ''), length);
}

function groupOf(groups: Map<string, RollupGroup>, row: LogRow, of: readonly Stored[]): RollupGroup {
  const { organisationId, createdAt } = row;
  const slot = Math.floor(createdAt / hourMs) * hourMs;
  const key = `${organisationId} ${slot} ${JSON.stringify(of)}`;
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group = emptyGroup(organisationId, slot, of, createdAt);
  groups.set(key, group);
  return group;
}

/** What the expressions of `sums` say in SQL, for one row. */
function addRow(group: RollupGroup, row: LogRow): void {
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
