import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ControlHost, LogRow } from 'portcullis/sdk';
import { createLogs } from '../../../core/logs/logs.ts';
import { newId } from '../../../core/new-id.ts';
import { analyticsActions } from '../../../plugins/analytics/actions.ts';
import { logRow } from '../../core/logs/rows.ts';
import { freshFile, settingsFor, settled } from '../../core/logs/stores.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { hour, iso, logWorld, noon } from '../logs/world.ts';

/**
 * Run by hand: writes a million requests of thirty days while it watches the loop, and asks every analytics route for all of
 * them, over HTTP, and again with the filters that leave the rollups. Prints one line each:
 * `node test/plugins/analytics/million.ts [rows]`.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const days = 30;
const start = noon - days * 24 * hour;
const print = (line: string) => process.stdout.write(`${line}\n`);
const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const models = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'claude-haiku', 'gemini-pro', 'mistral-large'];

const logs = await createLogs(settingsFor({ kind: 'sqlite', file: freshFile() }), {
  now: Date.now,
  log: recordingLog().log,
});
const closing: (() => unknown)[] = [];
const world = await logWorld(
  { after: (close) => void closing.push(close as () => unknown) },
  { logs: Object.assign(logs.store, logs.sinks) },
);

function request(index: number): LogRow {
  const random = (index * 2654435761) % 1000;
  const id = newId();
  return logRow({
    id,
    traceId: id,
    organisationId: world.control.organisationId,
    workspaceId: world.workspaceId,
    createdAt: Math.floor(start + (index * days * 24 * hour) / count),
    model: pick(models, random),
    provider: pick(['openai', 'anthropic', 'google'], random),
    keyId: `key-${random % 20}`,
    configSlug: `pc-${random % 5}`,
    status: random < 970 ? 200 : 500,
    cacheStatus: random % 10 === 0 ? 'HIT' : 'MISS',
    durationMs: 100 + random * 3.7,
    user: `user-${random}`,
    metadata: { _user: `user-${random}`, team: `team-${random % 12}` },
  });
}

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

const stretch = `time_of_generation_min=${iso(start)}&time_of_generation_max=${iso(noon)}`;
const wide = 'columns=cost,total_tokens,avg_latency,p95_latency,p99_latency,success_rate,cache_hit_rate,last_seen';
const groups = ['ai_service', 'model', 'status_code', 'api_key', 'config', 'workspace', 'provider', 'prompt'];
const whole = await world.control.ok('GET', `/v1/analytics/graphs/requests?${stretch}`, { as: world.key });
print(`requests in all: ${JSON.stringify(whole.summary)}`);
const fixed = analyticsActions({ logs: logs.store } as unknown as ControlHost)
  .map(({ path }) => path)
  .filter((path) => path !== '/analytics/groups/:groupBy')
  .map((path) => path.replace(':key', 'team'));
const asked = [
  ...fixed,
  ...groups.flatMap((name) => [`/analytics/groups/${name}?${wide}`, `/logs/groups/${name}?${wide}`]),
  ...['_user=user-7', 'team=team-3']
    .map((pair) => pair.split('='))
    .flatMap(([name, value]) =>
      ['requests', 'latency', 'cost'].map(
        (graph) => `/analytics/graphs/${graph}?metadata=${encodeURIComponent(JSON.stringify({ [name ?? '']: value }))}`,
      ),
    ),
  '/analytics/graphs/requests?total_units_min=100',
  '/logs?page_size=50',
  '/logs?page_size=50&status_code=500',
];
let slowest = ['', 0] as readonly [string, number];
for (const path of asked) {
  began = performance.now();
  const { status } = await world.control.call('GET', `/v1${path}${path.includes('?') ? '&' : '?'}${stretch}`, {
    as: world.key,
  });
  const ms = performance.now() - began;
  if (ms > slowest[1]) slowest = [path, ms];
  print(`${ms.toFixed(0).padStart(6)} ms  ${status}  ${path.slice(0, 100)}`);
}
print(`slowest of ${asked.length}: ${slowest[0]}, ${slowest[1].toFixed(0)} ms`);
print(`memory: ${Math.round(process.memoryUsage.rss() / 1e6)} MB`);
for (const close of closing) await close();
await logs.close();
