import { GatewayError, type Log, type LogRetention, type LogSinks, type LogStore, type Metrics } from 'portcullis/sdk';
import { withBodiesCut } from './cut-bodies.ts';
import { withTextsCut } from './cut-row.ts';
import type { ThreadRole } from './messages.ts';
import type { LogsSettings } from './settings.ts';
import type { LogSink, SinkState } from './sink.ts';
import { SinkQueue } from './sink-queue.ts';
import { LogThread } from './thread.ts';

export interface LogsOptions {
  readonly now: () => number;
  readonly log: Log;
  readonly metrics?: Metrics;
}

export interface Logs {
  readonly store: LogStore;
  readonly sinks: LogSinks;
  /** Writes what waits, within bounds, and ends the threads. */
  close(): Promise<void>;
  state(): readonly SinkState[];
}

const queueDefaults = {
  maxEntries: 50_000,
  maxBytes: 64 * 1024 * 1024,
  batchEntries: 1000,
  batchBytes: 8 * 1024 * 1024,
  batchMs: 1000,
  closeMs: 10_000,
};
/** The thread of a database writes them in one transaction, and nothing else happens in it meanwhile. */
const rowBatchEntries = 500;
/** Of a question; writes are bounded by the breaker's own limit. */
const readMs = 60_000;
const pruneMs = 3_600_000;

/**
 * The logs of the gateway: queues in this thread, and the databases in threads of their own.
 * @throws GatewayError `not_ready` when the embedded database cannot be opened. A server that is away is logged: the
 * breaker asks it again.
 */
export async function createLogs(settings: LogsSettings, options: LogsOptions): Promise<Logs> {
  const { log } = options;
  const { timeoutMs } = settings.breaker;
  const thread = (role: ThreadRole) => new LogThread({ role, settings }, log);
  const writer = thread('write');
  const reader = thread('read');
  const objects = settings.objects === undefined ? undefined : thread('objects');
  const queueOf = queues(settings, options);
  const rowQueue = queueOf(threadSink(settings.rows.kind, writer, timeoutMs, objects === undefined));
  const objectQueue = objects === undefined ? undefined : queueOf(threadSink('s3', objects, timeoutMs, true));
  const sinks = [rowQueue, ...(objectQueue === undefined ? [] : [objectQueue])];
  try {
    await writer.call('open', [], timeoutMs);
  } catch (cause) {
    const message = (cause as Error).message;
    if (settings.rows.kind === 'sqlite') {
      await writer.close(timeoutMs);
      throw new GatewayError('not_ready', `The database of the logs cannot be used: ${message}`, { cause });
    }
    log.error('log_store_unreachable', { sink: settings.rows.kind, message });
  }
  const state = () => sinks.map((sink) => sink.state());
  observe(options.metrics, sinks, state);
  return {
    store: storeOver(reader, writer, settings.retention),
    sinks: {
      write: (entry) => {
        const cut = withBodiesCut(withTextsCut(entry), settings.maxBodyBytes);
        rowQueue.push(cut);
        if (cut.bodies !== undefined) objectQueue?.push(cut);
      },
      feedback: (rows) => {
        for (const row of rows) rowQueue.pushFeedback(row);
      },
      caughtUp: () => rowQueue.caughtUp(),
    },
    state,
    close: async () => {
      await Promise.all([...sinks.map((sink) => sink.close()), reader.close(timeoutMs)]);
    },
  };
}

function queues(settings: LogsSettings, { now, log, metrics }: LogsOptions): (sink: LogSink) => SinkQueue {
  const counted = metrics?.counter('portcullis_log_entries_total', 'Log entries by what became of them.', [
    'sink',
    'outcome',
  ]);
  const transitions = metrics?.counter(
    'portcullis_log_breaker_transitions_total',
    'Changes of the breaker of a sink.',
    ['sink', 'to'],
  );
  const parts = {
    now,
    log,
    ...(counted === undefined ? {} : { counted }),
    ...(transitions === undefined ? {} : { transitions }),
  };
  // A column store wants few large batches.
  const batch = settings.rows.kind === 'clickhouse' ? {} : { batchEntries: rowBatchEntries };
  return (sink) => new SinkQueue(sink, { ...queueDefaults, ...batch, ...settings.queue, ...settings.breaker }, parts);
}

function threadSink(name: string, thread: LogThread, timeoutMs: number, withBodies: boolean): LogSink {
  return {
    name,
    withBodies,
    write: (batch) => thread.call('write', [batch], timeoutMs),
    close: () => thread.close(timeoutMs),
  };
}

function storeOver(reader: LogThread, writer: LogThread, retention: LogRetention): LogStore {
  return {
    find: (...args) => reader.call('find', args, readMs),
    list: (...args) => reader.call('list', args, readMs),
    aggregate: (...args) => reader.call('aggregate', args, readMs),
    feedbackBy: (...args) => reader.call('feedbackBy', args, readMs),
    updateFeedback: (...args) => writer.call('updateFeedback', args, readMs),
    prune: (...args) => writer.call('prune', args, pruneMs),
    retention,
  };
}

const stateNumbers = { closed: 0, probing: 1, open: 2 } as const;

function observe(metrics: Metrics | undefined, sinks: readonly SinkQueue[], state: () => readonly SinkState[]): void {
  metrics?.gauge('portcullis_log_queue_entries', 'Log entries that wait to be written.', ['sink'], () =>
    state().map(({ sink, queued }) => ({ labels: [sink], value: queued })),
  );
  metrics?.gauge('portcullis_log_queue_bytes', 'Memory of the log entries that wait, at most.', ['sink'], () =>
    sinks.map((sink) => ({ labels: [sink.state().sink], value: sink.bytes })),
  );
  metrics?.gauge('portcullis_log_breaker_state', '0 closed, 1 probing, 2 open.', ['sink'], () =>
    state().map(({ sink, breaker }) => ({ labels: [sink], value: stateNumbers[breaker] })),
  );
}
