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
  /** Connections of the store, by pool (`writer`, `reader`). */
  readonly store?: () => readonly {
    readonly pool: string;
    readonly used: number;
    readonly free: number;
    readonly waiting: number;
  }[];
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
  const { sandbox, breakers, store } = sources;

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
