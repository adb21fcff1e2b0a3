import type { ControlHost, Job } from 'portcullis/sdk';
import { retentionDays } from './settings.ts';

const dayMs = 86_400_000;

/** Deletes what is older than LOG_RETENTION_DAYS and METRICS_RETENTION_DAYS, every hour. @throws GatewayError `invalid_config` */
export function retention(host: ControlHost): Job {
  const logs = retentionDays(host.env('LOG_RETENTION_DAYS'), 'LOG_RETENTION_DAYS', 90);
  const metrics = retentionDays(host.env('METRICS_RETENTION_DAYS'), 'METRICS_RETENTION_DAYS', 365);
  const before = (days: number) => (days === 0 ? 0 : host.now() - days * dayMs);
  return {
    name: 'logs.retention',
    schedule: '23 * * * *',
    async run() {
      const removed = await host.logs.prune({ logs: before(logs), metrics: before(metrics) });
      if (removed > 0) host.log.info('logs_pruned', { removed });
    },
  };
}
