import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogSinks, LogStore } from 'portcullis/sdk';
import { createLogs } from '../../../core/logs/logs.ts';
import { embeddedSettings } from '../../support/log-settings.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { memoryLogs } from './memory-logs.ts';

export interface OpenedLogs {
  readonly logs: LogStore & LogSinks;
  /** Resolves once all that was written can be read. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function embeddedLogs(): Promise<OpenedLogs> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-log-store-'));
  const { store, sinks, state, close } = await createLogs(embeddedSettings(folder), {
    now: Date.now,
    log: recordingLog().log,
  });
  return {
    logs: { ...store, ...sinks },
    settled: async () => {
      while (state().some(({ queued }) => queued > 0)) await sleep(10);
    },
    close: async () => {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the tests on a list in memory, which shows what is meant, and on the embedded database. */
export function everyLogStore(work: (open: () => Promise<OpenedLogs>) => void): void {
  describe('on a list in memory', () => {
    work(async () => ({ logs: memoryLogs(), settled: async () => {}, close: async () => {} }));
  });
  describe('on the embedded database', () => {
    work(embeddedLogs);
  });
}
