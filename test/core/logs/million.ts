import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { AggregateQuery, LogRow } from 'portcullis/sdk';
import { createLogs } from '../../../core/logs/logs.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { hour, logRow, start } from './rows.ts';
import { freshFile, settingsFor, settled } from './stores.ts';

/**
 * Run by hand: writes a million requests of thirty days and asks what the analytics routes ask. Prints one line each:
 * `node test/core/logs/million.ts [rows]`.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const days = 30;
const print = (line: string) => process.stdout.write(`${line}\n`);
const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const models = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'claude-haiku', 'gemini-pro', 'mistral-large'];

function request(index: number): LogRow {
  const random = (index * 2654435761) % 1000;
  return logRow({
    createdAt: Math.floor(start + (index * days * 24 * hour) / count),
    model: pick(models, random),
    provider: pick(['openai', 'anthropic', 'google'], random),
    keyId: `key-${random % 20}`,
    configSlug: `pc-${random % 5}`,
    workspaceId: `ws-${random % 4}`,
    status: random < 970 ? 200 : 500,
    cacheStatus: random % 10 === 0 ? 'HIT' : 'MISS',
    durationMs: 100 + random * 3.7,
    user: `user-${random}`,
    metadata: { _user: `user-${random}`, team: `team-${random % 12}` },
  });
}

const logs = await createLogs(settingsFor({ kind: 'sqlite', file: freshFile() }), {
  now: Date.now,
  log: recordingLog().log,
});
const delay = monitorEventLoopDelay({ resolution: 1 });
let began = performance.now();
let pushing = 0;
delay.enable();
for (let index = 0; index < count; ) {
  const some = Array.from({ length: Math.min(500, count - index) }, (_, offset) => ({
    row: request(index + offset),
    bodies: undefined,
  }));
  const before = performance.now();
  for (const entry of some) logs.sinks.write(entry);
  pushing += performance.now() - before;
  index += some.length;
  while ((logs.state()[0]?.queued ?? 0) > 20_000) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => setImmediate(resolve));
}
await settled(logs);
delay.disable();
const seconds = (performance.now() - began) / 1000;
print(`written: ${count} rows in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} rows/s`);
print(
  `write(): ${((pushing * 1000) / count).toFixed(2)} us; main loop p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, longest ${(delay.max / 1e6).toFixed(1)} ms`,
);
print(JSON.stringify(logs.state()));

const filter = { organisationId: 'org-1', from: start + 12_345, to: start + days * 24 * hour - 54_321 };
const standard = { limit: 100, offset: 0, stepMs: 24 * hour };
const queries: Readonly<Record<string, Pick<AggregateQuery, 'by' | 'measures'> & Partial<AggregateQuery>>> = {
  'requests by day': { by: ['bucket'], measures: ['requests'] },
  'requests by hour': { by: ['bucket'], measures: ['requests'], stepMs: hour },
  'latency by day': { by: ['bucket'], measures: ['avgLatency', 'p50Latency', 'p90Latency', 'p99Latency'] },
  'latency by hour': {
    by: ['bucket'],
    measures: ['avgLatency', 'p50Latency', 'p90Latency', 'p99Latency'],
    stepMs: hour,
  },
  'users by day': { by: ['bucket'], measures: ['users'] },
  'errors by status and day': { by: ['bucket', 'status'], measures: ['requests'] },
  'cache by day': { by: ['bucket'], measures: ['simpleHits', 'semanticHits', 'cacheLookups', 'cacheSavingsNanoUsd'] },
  'groups of users': { by: ['user'], measures: ['requests', 'costNanoUsd'] },
  'groups of models': {
    by: ['provider', 'model'],
    measures: ['requests', 'costNanoUsd', 'avgLatency', 'p95Latency', 'lastSeen'],
  },
  'groups of a metadata': {
    by: ['metadata:team'],
    measures: ['requests', 'costNanoUsd', 'totalTokens', 'lastSeen', 'weightedFeedback'],
  },
  'models of one workspace': { by: ['model'], measures: ['requests'], filter: { ...filter, workspaceIds: ['ws-2'] } },
  'one user by day (rows)': {
    by: ['bucket'],
    measures: ['requests', 'costNanoUsd'],
    filter: { ...filter, users: ['user-7'] },
  },
  'dear requests by day (rows)': {
    by: ['bucket'],
    measures: ['requests'],
    filter: { ...filter, totalTokens: { min: 100 } },
  },
  'a metadata value by day, with latency (rows)': {
    by: ['bucket'],
    measures: ['p95Latency'],
    filter: { ...filter, metadata: { team: ['team-3'] } },
  },
  'a day by minutes (rows)': {
    by: ['bucket'],
    measures: ['requests', 'p95Latency'],
    stepMs: 60_000,
    filter: { ...filter, from: filter.to - 24 * hour },
  },
};
for (const [name, query] of Object.entries(queries)) {
  began = performance.now();
  const { total } = await logs.store.aggregate({ filter, ...standard, ...query });
  print(`${(performance.now() - began).toFixed(0).padStart(6)} ms  ${name} (${total} groups)`);
}
for (const [name, narrowing] of Object.entries({ 'newest fifty': {}, 'newest fifty errors': { status: [500] } })) {
  began = performance.now();
  const { total } = await logs.store.list({ ...filter, ...narrowing }, { limit: 50, offset: 0 });
  print(`${(performance.now() - began).toFixed(0).padStart(6)} ms  ${name} of ${total}`);
}
print(`memory: ${Math.round(process.memoryUsage.rss() / 1e6)} MB`);
await logs.close();
