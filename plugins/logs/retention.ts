import type { ControlHost, Job } from 'portcullis/sdk';

const dayMs = 86_400_000;

/** Deletes what is older than the operator keeps it, every hour. */
export function retention({ logs, now, log }: ControlHost): Job {
  const before = (days: number) => (days === 0 ? 0 : now() - days * dayMs);
  return {
    name: 'logs.retention',
    schedule: '23 * * * *',
    async run() {
      const { logDays, metricDays } = logs.retention;
      const removed = await logs.prune({ logs: before(logDays), metrics: before(metricDays) });
      if (removed > 0) log.info('logs_pruned', { removed });
    },
  };
}
