import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startServer } from './children.ts';
import type { StoreCounts, StoreMood } from './failing-store.ts';
import { fullGatewayRow } from './gateway.ts';
import { canPin } from './programs.ts';
import { SteadyLoad } from './steady-load.ts';

const usage = `npm run soak -- [flags]
  --minutes N     how long (30)
  --rate N        requests a second (500)
  --step N        seconds of each line (30)
  --log-faults    logs go to a store that stops, freezes, slows down and fails, a minute each
`;

/** A minute each; the first and the last show what health looks like. */
const moods: readonly StoreMood[] = ['well', 'frozen', 'failing', 'slow', 'failing', 'frozen', 'well'];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '500' },
    step: { type: 'string', default: '30' },
    'log-faults': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else await soak(Number(values.minutes), Number(values.rate), Number(values.step), values['log-faults']);

/** Everything on, at a steady rate, for a long time: latency and memory must not move. */
async function soak(minutes: number, rate: number, stepSeconds: number, faults: boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const pinned = canPin();
  const load = pinned ? 0 : undefined;
  const { child: upstream, origin } = await startServer('upstream.ts', load);
  const store = faults ? await startServer('failing-store.ts', load) : undefined;
  const environment =
    store === undefined ? {} : { ANALYTICS_STORE: 'clickhouse', ANALYTICS_STORE_ENDPOINT: store.origin };
  const row = await fullGatewayRow({ env: environment }).start(origin, pinned ? 1 : undefined);
  const steady = new SteadyLoad(row, rate);
  process.stdout.write(
    '| minute | store | sent | failed | p50 ms | p99 ms | RSS MB |\n|---|---|---|---|---|---|---|\n',
  );
  let sent = 0;
  const steps = Math.round((minutes * 60) / stepSeconds);
  for (let step = 1; step <= steps; step += 1) {
    const minute = Math.floor(((step - 1) * stepSeconds) / 60);
    const mood = faults ? (moods[Math.min(minute, moods.length - 1)] ?? 'well') : 'well';
    store?.child.tell(`mood:${mood}`);
    await delay(stepSeconds * 1000);
    const stretch = steady.take();
    sent += stretch.sent;
    const figures = [stretch.sent, stretch.failed, stretch.p50Ms.toFixed(2), stretch.p99Ms.toFixed(2), rssMb(row.pid)];
    process.stdout.write(`| ${((step * stepSeconds) / 60).toFixed(1)} | ${mood} | ${figures.join(' | ')} |\n`);
  }
  await steady.stop();
  await delay(5_000);
  process.stdout.write(`\nsent ${sent}\n${await metricsOf(row.origin)}\n`);
  if (store !== undefined) {
    const counts = (await store.child.ask('counts')) as StoreCounts;
    process.stdout.write(`the store took ${counts.rows} rows in ${counts.requests} requests\n`);
  }
  await Promise.allSettled([row.stop(), upstream.stop(), store?.child.stop()]);
}

function rssMb(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb ?? 0) / 1024);
}

/** What the gateway says about its logs. */
async function metricsOf(origin: string): Promise<string> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => /^portcullis_(log|requests_total)/.test(line))
    .join('\n');
}
