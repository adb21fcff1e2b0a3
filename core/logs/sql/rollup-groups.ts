import { hash } from 'node:crypto';
import { dayMs, hourMs } from '../engine.ts';
import type { IndexedRow } from '../row-line.ts';
import { clip, metadataPairs, type Stored } from '../rows.ts';
import type { Shared } from '../same-fields.ts';
import { addToSketch, type Sketch, sketchBucket } from '../sketch.ts';
import { type Dimension, dimensions, type Rollup, type Sum, sumNames } from './rollups.ts';

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

/** Requests by the hour, as a rollup counts them together. */
export class HourGroups {
  readonly #rollup: Rollup;
  readonly #groups = new Map<string, RollupGroup>();
  readonly #byUser: boolean;

  constructor(rollup: Rollup) {
    this.#rollup = rollup;
    this.#byUser = rollup.by.includes('user');
  }

  get size(): number {
    return this.#groups.size;
  }

  get groups(): readonly RollupGroup[] {
    return [...this.#groups.values()];
  }

  add(rows: readonly IndexedRow[]): void {
    const { ofMetadata, latency } = this.#rollup;
    // Where only what is shared says the group, it is not put together for each request.
    const ofShared = new Map<Shared, RollupGroup>();
    for (const row of rows) {
      const createdAt = Math.round(row.createdAt);
      // As the database does it.
      const slot = createdAt - (createdAt % hourMs);
      if (ofMetadata) {
        for (const pair of metadataPairs(row)) addRow(this.#groupOf(row, slot, pair), row, createdAt, latency);
        continue;
      }
      const alone = this.#byUser && row.user !== null;
      const known = alone ? undefined : ofShared.get(row.shared);
      const group = known?.slot === slot ? known : this.#groupOf(row, slot);
      if (!alone) ofShared.set(row.shared, group);
      addRow(group, row, createdAt, latency);
    }
  }

  #groupOf(row: IndexedRow, slot: number, pair: readonly string[] = []): RollupGroup {
    const { organisationId } = row.shared;
    const of = [...this.#rollup.by.map((dimension) => groupValue(row, dimension)), ...pair];
    const key = `${organisationId} ${slot} ${JSON.stringify(of)}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = emptyGroup(organisationId, slot, of, Math.round(row.createdAt));
    this.#groups.set(key, group);
    return group;
  }
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

function groupValue({ shared, user }: IndexedRow, dimension: Dimension): Stored {
  const { length } = dimensions[dimension];
  const value = dimension === 'user' ? user : shared[dimension];
  return length === undefined ? Number(value) : clip(String(value ?? ''), length);
}

/** What the expressions of `sums` say in SQL, for one row. */
function addRow(group: RollupGroup, row: IndexedRow, createdAt: number, latency: boolean): void {
  const { sums } = group;
  const { cacheStatus, status, retries, fallback } = row.shared;
  const simple = cacheStatus === 'HIT';
  const semantic = cacheStatus === 'SEMANTIC HIT';
  const missed = cacheStatus === 'MISS' || cacheStatus === 'SEMANTIC MISS';
  const served = status < 400;
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
  if (retries > 0 && served) sums.rescued_by_retry += 1;
  if (fallback && served) sums.rescued_by_fallback += 1;
  group.firstSeen = Math.min(group.firstSeen, createdAt);
  group.lastSeen = Math.max(group.lastSeen, createdAt);
  if (latency) addToSketch(group.latency, sketchBucket(row.durationMs), 1);
}
