import type { Metrics, Reading } from 'portcullis/sdk';

/** What the mechanisms of the core say about themselves. Each is read when somebody looks; those that are absent are not shown. */
export interface CoreSources {
  /** Requests that are being served. */
  readonly inFlight?: () => number;
  readonly sandbox?: () => {
    readonly processes: number;
    readonly runs: number;
    readonly queued: number;
    readonly kills: number;
    readonly paused: number;
  };
  /** Breakers by state. */
  readonly breakers?: () => { readonly closed: number; readonly open: number; readonly halfOpen: number };
  /** Sinks of the request logs. */
  readonly logs?: () => readonly {
    readonly sink: string;
    readonly queued: number;
    readonly written: number;
    readonly dropped: number;
    readonly breaker: string;
  }[];
  /** Whether the shared counters of limits can be reached. */
  readonly limits?: () => { readonly breaker: string };
  /** Connections of the store, by pool (`writer`, `reader`). */
  readonly store?: () => readonly {
    readonly pool: string;
    readonly used: number;
    readonly free: number;
    readonly waiting: number;
  }[];
}

/** States of a breaker as a number: 0 closed, 1 on trial, 2 open. */
function levelOf(state: string): number {
  if (state === 'closed') return 0;
  return state === 'open' ? 2 : 1;
}

/** Shows them as gauges. Sums that only grow are gauges too: their owners keep the count. */
export function registerCoreGauges(metrics: Metrics, sources: CoreSources): void {
  const one = (name: string, help: string, read: (() => number) | undefined) => {
    if (read !== undefined) metrics.gauge(name, help, [], () => [{ labels: [], value: read() }]);
  };
  const rows = <Row>(
    name: string,
    help: string,
    labels: readonly string[],
    source: (() => readonly Row[]) | undefined,
    read: (row: Row) => Reading,
  ) => {
    if (source !== undefined) metrics.gauge(name, help, labels, () => source().map(read));
  };
  const { sandbox, breakers, logs, limits, store } = sources;

  one('portcullis_requests_in_flight', 'Requests that are being served', sources.inFlight);
  if (sandbox !== undefined) {
    one('portcullis_sandbox_processes', 'Processes of the sandbox', () => sandbox().processes);
    one('portcullis_sandbox_runs', 'Runs of code under way in the sandbox', () => sandbox().runs);
    one('portcullis_sandbox_queue_depth', 'Runs that wait for their turn in the sandbox', () => sandbox().queued);
    one('portcullis_sandbox_kills', 'Processes of the sandbox lost since the start', () => sandbox().kills);
    one('portcullis_sandbox_paused_programs', 'Programs that pause after runs ended by force', () => sandbox().paused);
  }
  rows(
    'portcullis_breakers',
    'Breakers of targets by state',
    ['state'],
    breakers && (() => Object.entries(breakers())),
    ([state, value]) => ({ labels: [state === 'halfOpen' ? 'half_open' : state], value }),
  );
  rows('portcullis_log_queue_depth', 'Log entries that wait', ['sink'], logs, ({ sink, queued }) => ({
    labels: [sink],
    value: queued,
  }));
  rows('portcullis_log_entries_written', 'Log entries written since the start', ['sink'], logs, (row) => ({
    labels: [row.sink],
    value: row.written,
  }));
  rows('portcullis_log_entries_dropped', 'Log entries lost since the start', ['sink'], logs, (row) => ({
    labels: [row.sink],
    value: row.dropped,
  }));
  rows('portcullis_log_breaker_state', 'Breakers of sinks: 0 closed, 1 probing, 2 open', ['sink'], logs, (row) => ({
    labels: [row.sink],
    value: levelOf(row.breaker),
  }));
  one(
    'portcullis_limits_breaker_state',
    'Breaker of the shared counters: 0 closed, 1 probing, 2 open',
    limits && (() => levelOf(limits().breaker)),
  );
  rows(
    'portcullis_store_connections',
    'Connections of the store by what they do',
    ['pool', 'state'],
    store &&
      (() =>
        store().flatMap(({ pool, used, free }) => [
          { labels: [pool, 'used'], value: used },
          { labels: [pool, 'free'], value: free },
        ])),
    (reading) => reading,
  );
  rows('portcullis_store_waiting', 'Questions that wait for a connection', ['pool'], store, ({ pool, waiting }) => ({
    labels: [pool],
    value: waiting,
  }));
}
