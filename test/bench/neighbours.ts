import { startServer } from './children.ts';
import { cpuMicros } from './cpu.ts';
import { applyLoad, type Load } from './load.ts';
import { type Plan, warmUpSeconds } from './measure.ts';
import { quantile } from './quantile.ts';
import type { Row, RunningRow } from './row.ts';
import type { UpstreamCounts } from './upstream.ts';

export interface TurnsPlan {
  readonly bound: Load['bound'];
  readonly repeats: number;
  readonly cores: Plan['cores'];
}

/** One of two kinds of requests. */
export interface Kind {
  readonly name: string;
  /** One of those that run. */
  readonly row: Row;
  readonly asks?: Load['asks'];
  /** Beside those of the row. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** CPU time of the proxy for one request in microseconds, each repeat of the second kind right after one of the first. */
export interface NeighbourCosts {
  readonly about: string;
  readonly names: readonly [string, string];
  readonly costs: readonly [readonly number[], readonly number[]];
  readonly failed: number;
}

const connections = 64;

export interface Neighbours {
  /** One sentence for who reads the figures. */
  readonly about: string;
  /** What runs meanwhile: one proxy for both kinds, or one for each. */
  readonly rows: readonly Row[];
  /** Asked for when the rows run. */
  readonly kinds: () => readonly [Kind, Kind];
}

/** Measures two kinds of requests in turns, so that slow moments of the machine fall on both. */
export async function neighbourCosts(
  { about, rows, kinds }: Neighbours,
  { bound, repeats, cores }: TurnsPlan,
): Promise<NeighbourCosts> {
  const { child: upstream, origin } = await startServer('upstream.ts', cores.load);
  const started = new Map<Row, RunningRow>();
  try {
    for (const row of rows) started.set(row, await row.start(origin, cores.proxy));
    const [first, second] = kinds();
    let failed = 0;
    const run = async ({ row, asks, headers }: Kind, length: Load['bound']) => {
      const running = started.get(row);
      if (running === undefined) throw new Error(`The row "${row.name}" does not run.`);
      const before = { cpu: cpuMicros(running.pid ?? 0), ...((await upstream.ask('counts')) as UpstreamCounts) };
      const target = { origin: running.origin, headers: { ...running.headers, ...headers } };
      const load: Load = { target, scenario: 'json', connections, bound: length };
      const result = await applyLoad(asks === undefined ? load : { ...load, asks });
      const { replies } = (await upstream.ask('counts')) as UpstreamCounts;
      failed += result.failed;
      return (cpuMicros(running.pid ?? 0) - before.cpu) / (replies - before.replies);
    };
    for (const kind of [first, second]) await run(kind, 'seconds' in bound ? { seconds: warmUpSeconds } : bound);
    const costs: [number[], number[]] = [[], []];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      costs[0].push(await run(first, bound));
      costs[1].push(await run(second, bound));
    }
    return { about, names: [first.name, second.name], costs, failed };
  } finally {
    await Promise.allSettled([...started.values(), upstream].map((running) => running.stop()));
  }
}

export function renderNeighbours({ about, names, costs: [first, second], failed }: NeighbourCosts): string {
  const ratios = second.map((cost, index) => cost / (first[index] ?? cost));
  const line = (name: string, values: readonly number[]) =>
    `${name}: best ${Math.min(...values).toFixed(1)} µs, median ${quantile(values, 0.5).toFixed(1)} µs`;
  return [
    `${about}:`,
    line(names[0], first),
    line(names[1], second),
    `ratio of neighbours: median ${quantile(ratios, 0.5).toFixed(3)}, least ${Math.min(...ratios).toFixed(3)}, most ${Math.max(...ratios).toFixed(3)}; failed ${failed}`,
  ].join('\n');
}
