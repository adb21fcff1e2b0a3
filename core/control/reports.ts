import type { AuditEvent, Db, Log } from 'portcullis/sdk';
import type { Store } from '../store/store.ts';

const mostAMinute = 60;
const minuteMs = 60_000;

export interface ReportParts {
  readonly store: Pick<Store, 'transaction'>;
  readonly sink: ((event: AuditEvent, db: Db) => Promise<void>) | undefined;
  readonly log: Log;
  readonly now: () => number;
}

/** Takes audit entries of the data plane, where anyone can cause them: more than a few a minute are counted, not written. */
export function reporter({ store, sink, log, now }: ReportParts): (event: AuditEvent) => void {
  let windowStart = now();
  let written = 0;
  let unwritten = 0;
  return (event) => {
    if (sink === undefined) return;
    if (now() - windowStart >= minuteMs) {
      if (unwritten > 0) log.warn('audit_entries_left_out', { count: unwritten });
      windowStart = now();
      written = 0;
      unwritten = 0;
    }
    if (written >= mostAMinute) {
      unwritten += 1;
      return;
    }
    written += 1;
    store
      .transaction((trx) => sink(event, trx))
      .catch((error: unknown) => {
        log.error('audit_failed', { error: error instanceof Error ? error.name : 'not an error' });
      });
  };
}
