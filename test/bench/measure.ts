import { setTimeout as delay } from 'node:timers/promises';
import { type Child, type Core, startServer } from './children.ts';
import { cpuMicros, maxRssBytes } from './cpu.ts';
import { generate } from './generator.ts';
import { applyLoad, type Load, type LoadResult } from './load.ts';
import type { Row, RunningRow } from './row.ts';
import { chunkGapMs, chunksPerStream, type Scenario } from './traffic.ts';
import type { UpstreamCounts } from './upstream.ts';

export interface Plan {
  readonly rows: readonly Row[];
  readonly scenarios: readonly Scenario[];
  readonly repeats: number;
  /** Seconds of each repeat, or a fixed number of requests. */
  readonly bound: { readonly seconds: number } | { readonly requests: Readonly<Record<Scenario, number>> };
  readonly cores: { readonly proxy: Core; readonly load: Core };
  /** Called with one line for each step. */
  readonly progress: (line: string) => void;
}

/** One repeat of one scenario through one row. */
export interface Sample extends LoadResult {
  /** CPU time of the row for one request, or for one chunk of a stream; undefined when no process stands between. */
  readonly cpuMicrosPerUnit: number | undefined;
}

export interface RowResult {
  readonly name: string;
  readonly about: string;
  readonly samples: Readonly<Partial<Record<Scenario, readonly Sample[]>>>;
  /** Median time to the first byte of a stream, one request at a time. */
  readonly firstByteP50Ms: number | undefined;
  readonly maxRssBytes: number | undefined;
}

const connections: Record<Scenario, number> = { json: 64, saturated: 32, spaced: 32 };
const firstByteRequests = 200;
/** Until the engine has compiled what is hot, which it was seen to do for 25 s: a server runs for days. */
export const warmUpSeconds = 30;

interface Subject {
  readonly row: Row;
  readonly running: RunningRow;
  readonly samples: Partial<Record<Scenario, Sample[]>>;
  firstByteP50Ms: number | undefined;
}

/** Runs all rows side by side, one at a time under load, and stops everything it has started. */
export async function measure(plan: Plan): Promise<readonly RowResult[]> {
  const { child: upstream, origin } = await startServer('upstream.ts', plan.cores.load);
  const subjects: Subject[] = [];
  try {
    for (const row of plan.rows) {
      plan.progress(`starting ${row.name}`);
      subjects.push({
        row,
        running: await row.start(origin, plan.cores.proxy),
        samples: {},
        firstByteP50Ms: undefined,
      });
    }
    for (const scenario of plan.scenarios) {
      // Repeats go round all rows, so that a slow minute of the machine does not fall on one row alone.
      for (let repeat = 0; repeat < plan.repeats; repeat += 1) {
        for (const subject of subjects) await measureOnce(plan, subject, scenario, upstream, repeat);
      }
    }
    return subjects.map(resultOf);
  } finally {
    await Promise.allSettled([upstream.stop(), ...subjects.map(({ running }) => running.stop())]);
  }
}

async function measureOnce(
  plan: Plan,
  subject: Subject,
  scenario: Scenario,
  upstream: Child,
  repeat: number,
): Promise<void> {
  const { row, running } = subject;
  const load: Omit<Load, 'bound'> = { target: running, scenario, connections: connections[scenario] };
  if (repeat === 0) await probe(row, load);
  if ('seconds' in plan.bound) {
    await applyLoad({ ...load, bound: { seconds: repeat === 0 ? warmUpSeconds : 1 } });
    // What the warm-up left unfinished must not be counted.
    await delay(scenario === 'spaced' ? 2 * chunkGapMs * chunksPerStream : 200);
    if (scenario === 'saturated' && repeat === 0) {
      const alone = await generate({ ...load, connections: 1, bound: { requests: firstByteRequests } });
      subject.firstByteP50Ms = alone.firstByteP50Ms;
    }
  }
  const bound = 'seconds' in plan.bound ? plan.bound : { requests: plan.bound.requests[scenario] };
  const before = await readings(running, upstream);
  const result = await applyLoad({ ...load, bound });
  const after = await readings(running, upstream);
  const units = scenario === 'json' ? after.replies - before.replies : after.chunks - before.chunks;
  const sample = {
    ...result,
    cpuMicrosPerUnit: running.pid === undefined ? undefined : (after.cpu - before.cpu) / units,
  };
  subject.samples[scenario] = [...(subject.samples[scenario] ?? []), sample];
  plan.progress(`${scenario} ${repeat + 1}/${plan.repeats} ${row.name}: ${describe(sample)}`);
}

/** A row that answers wrongly is not worth measuring. */
async function probe(row: Row, load: Omit<Load, 'bound'>): Promise<void> {
  const { failed } = await generate({ ...load, connections: 1, bound: { requests: 1 } });
  if (failed > 0)
    throw new Error(`The row "${row.name}" does not answer ${load.scenario} requests as the upstream does.`);
}

async function readings(running: RunningRow, upstream: Child): Promise<UpstreamCounts & { readonly cpu: number }> {
  const counts = (await upstream.ask('counts')) as UpstreamCounts;
  return { ...counts, cpu: running.pid === undefined ? 0 : cpuMicros(running.pid) };
}

function describe({ cpuMicrosPerUnit, completed, seconds, failed }: Sample): string {
  const cpu = cpuMicrosPerUnit === undefined ? '' : `${cpuMicrosPerUnit.toFixed(1)} µs, `;
  return `${cpu}${(completed / seconds).toFixed(0)} replies/s, ${failed} failed`;
}

function resultOf({ row, running, samples, firstByteP50Ms }: Subject): RowResult {
  const rss = running.pid === undefined ? undefined : maxRssBytes(running.pid);
  return { name: row.name, about: row.about, samples, firstByteP50Ms, maxRssBytes: rss };
}
