import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import type { FeedbackRow, LogEntry, LogStore } from 'portcullis/sdk';
import { createLogs, type Logs } from '../../../core/logs/logs.ts';
import type { LogsSettings, RowsSettings } from '../../../core/logs/settings.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { freshOnMariaDb } from '../../support/stores.ts';
import { clickHouse } from './click-house.ts';

export const day = 86_400_000;

export function settingsFor(rows: RowsSettings, given: Partial<LogsSettings> = {}): LogsSettings {
  return {
    rows,
    maxBodyBytes: 262_144,
    breaker: { failureThreshold: 5, backoffMs: 60_000, timeoutMs: 15_000 },
    retention: { logDays: 90, metricDays: 365 },
    ...given,
  };
}

let folder: string | undefined;
let files = 0;

export function freshFile(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'portcullis-logs-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return join(folder, `${++files}`, 'logs.db');
}

/** A store under test: what is written can be read when the promise resolves. */
export interface OpenLogs {
  readonly store: Omit<LogStore, 'retention'>;
  write(entries: readonly LogEntry[], feedback?: readonly FeedbackRow[]): Promise<void>;
  close(): Promise<void>;
}

export type OpenFresh = () => Promise<OpenLogs>;

/** Runs a block of tests on each kind of log store. */
export function onEachLogStore(work: (open: OpenFresh, name: string) => void): void {
  const kinds: Readonly<Record<string, () => Promise<OpenLogs>>> = {
    SQLite: async () => overLogs(settingsFor({ kind: 'sqlite', file: freshFile() })),
    MariaDB: async () => overLogs(settingsFor({ kind: 'mysql', store: await freshOnMariaDb() })),
    ClickHouse: clickHouse,
  };
  for (const [name, make] of Object.entries(kinds)) {
    describe(`on ${name}`, () => {
      const opened: OpenLogs[] = [];
      after(() => Promise.all(opened.map((one) => one.close())));
      work(async () => {
        const logs = await make();
        opened.push(logs);
        return logs;
      }, name);
    });
  }
}

async function overLogs(settings: LogsSettings): Promise<OpenLogs> {
  const logs = await createLogs(settings, { now: Date.now, log: recordingLog().log });
  return {
    store: logs.store,
    write: async (entries, feedback = []) => {
      for (const entry of entries) logs.sinks.write(entry);
      logs.sinks.feedback(feedback);
      await settled(logs);
    },
    close: () => logs.close(),
  };
}

/** Resolves when nothing waits any more. */
export async function settled(logs: Logs): Promise<void> {
  while (logs.state().some(({ queued }) => queued > 0)) await new Promise((resolve) => setTimeout(resolve, 5));
}
