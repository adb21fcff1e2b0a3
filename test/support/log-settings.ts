import { join } from 'node:path';
import type { LogsSettings } from '../../core/logs/settings.ts';

/** The embedded database, which is written as soon as there is something to write. */
export function embeddedSettings(folder: string): LogsSettings {
  return {
    rows: { kind: 'sqlite', file: join(folder, 'logs.db') },
    maxBodyBytes: 1_048_576,
    breaker: { failureThreshold: 5, backoffMs: 60_000, timeoutMs: 15_000 },
    retention: { logDays: 90, metricDays: 365 },
    queue: { batchMs: 20 },
  };
}
