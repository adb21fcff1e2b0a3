import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { GatewayError, type Log } from 'portcullis/sdk';
import { closeUnanswered } from './handed-connections.ts';

export interface WorkersParts {
  readonly count: number;
  readonly drainTimeoutMs: number;
  readonly log: Log;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
// One that has served for so long did not fail at its start.
const stableMs = 60_000;
// Beyond the time to drain, for closing the store and the like.
const closingMs = 10_000;

/** @throws GatewayError `invalid_config` when several processes would count limits each for itself */
export function checkWorkers(count: number, redisUrl: string | undefined): void {
  if (count === 1 || redisUrl !== undefined) return;
  throw new GatewayError(
    'invalid_config',
    `WORKERS is ${count}, but REDIS_URL is not set: each of the processes would count rate limits and budgets for itself. Set REDIS_URL, or WORKERS=1.`,
    { param: 'WORKERS' },
  );
}

/**
 * Runs this command line in as many processes, which share the port, until a signal says stop. The first one starts
 * alone: it brings the database up to date, and what it finds at fault is told once. One that dies is started again,
 * after a pause that grows while it keeps dying.
 * @returns the exit code: that of the first worker where it could not start
 */
export async function runWorkers({ count, drainTimeoutMs, log }: WorkersParts): Promise<number> {
  // Lines of several processes would be torn apart in one pipe.
  cluster.setupPrimary({ silent: true });
  const { answerWorkers } = await import('../telemetry/worker-metrics.ts');
  answerWorkers();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const reload = () => {
    for (const worker of running()) worker.process.kill('SIGHUP');
  };
  // Kept until the end: a terminal signals the workers as well, and some send twice.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  process.on('SIGHUP', reload);
  cluster.on('listening', ({ id }) => log.info('worker_serves', { worker: id }));
  try {
    const [first, failed] = await startFirst(stopping.signal);
    if (failed !== undefined) return failed;
    const others = stopping.signal.aborted ? 0 : count - 1;
    const [code] = await Promise.all([
      drainOn(stopping.signal, drainTimeoutMs + closingMs),
      keep(first, stopping.signal, log),
      ...Array.from({ length: others }, () => keep(startWorker(), stopping.signal, log)),
    ]);
    return code;
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop);
    process.off('SIGHUP', reload);
  }
}

function running(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

const watchHanded = closeUnanswered();

function startWorker(): Worker {
  const worker = cluster.fork();
  watchHanded(worker);
  forwardLines(worker.process.stdout, process.stdout);
  forwardLines(worker.process.stderr, process.stderr);
  return worker;
}

/** @returns the worker once it serves or is to stop, with its exit code when it ended before */
async function startFirst(stopping: AbortSignal): Promise<readonly [Worker, number | undefined]> {
  const worker = startWorker();
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  worker.once('exit', (code: number | null) => resolve(code ?? 1));
  worker.once('listening', () => resolve(undefined));
  stopping.addEventListener('abort', () => resolve(undefined), { once: true });
  return [worker, await promise];
}

/** Has a worker in its place until the signal. Resolves when the last one has ended. */
async function keep(first: Worker, stopping: AbortSignal, log: Log): Promise<void> {
  let worker = first;
  let deaths = 0;
  for (;;) {
    const since = performance.now();
    const [code, signal] = worker.isDead() ? [worker.process.exitCode, null] : await once(worker, 'exit');
    if (stopping.aborted) return;
    deaths = performance.now() - since > stableMs ? 1 : deaths + 1;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (deaths - 1));
    log.error('worker_died', { worker: worker.id, code, signal, restart_in_ms: pauseMs });
    await pause(pauseMs, stopping);
    if (stopping.aborted) return;
    worker = startWorker();
  }
}

/** @returns 1 when a worker had to be killed, or ended badly by itself */
async function drainOn(stopping: AbortSignal, limitMs: number): Promise<number> {
  if (!stopping.aborted) await once(stopping, 'abort');
  const workers = running();
  const ends = workers.map((worker) => (worker.isDead() ? undefined : once(worker, 'exit')));
  for (const worker of workers) worker.process.kill('SIGTERM');
  const force = setTimeout(() => {
    for (const worker of workers) worker.process.kill('SIGKILL');
  }, limitMs);
  await Promise.all(ends);
  clearTimeout(force);
  // One that had only begun to start does not know the signal yet.
  return workers.every(({ process: { exitCode, signalCode } }) => exitCode === 0 || signalCode === 'SIGTERM') ? 0 : 1;
}

async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  stopping.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

const newline = 10;

/** Passes on whole lines; what stands behind the last one follows at the end. */
function forwardLines(from: Readable | null, to: Writable): void {
  let rest: Buffer[] = [];
  from?.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest.push(chunk);
      return;
    }
    const taken = to.write(Buffer.concat([...rest, chunk.subarray(0, end)]));
    rest = end === chunk.length ? [] : [chunk.subarray(end)];
    if (taken) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  from?.on('end', () => {
    if (rest.length > 0) to.write(Buffer.concat(rest));
  });
}
