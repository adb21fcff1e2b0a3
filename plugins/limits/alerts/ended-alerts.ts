import type { ControlHost, Db, Job } from 'portcullis/sdk';
import type { AlertRow } from '../records/tables.ts';

const keptMs = 400 * 86_400_000;
const batch = 200;
/** Of one run: what is left over waits for the next day. */
const mostBatches = 500;

/**
 * Forgets alerts of more than 400 days ago whose period is over, which is when a later one of the same budget has had an
 * alert. Those of the last such period stay, however old they are: a budget without reset sends none twice.
 */
export function endedAlertsJob(host: Pick<ControlHost, 'now' | 'transaction'>): Job {
  return {
    name: 'limits.ended-alerts',
    schedule: '40 4 * * *',
    async run() {
      const before = host.now() - keptMs;
      for (let count = 0; count < mostBatches; count += 1) {
        // The table holds all organisations; the job belongs to none.
        const removed = await host.transaction({ organisationId: '' }, ({ db }) => removeBatch(db, before));
        if (removed < batch) return;
      }
    },
  };
}

async function removeBatch(db: Db, before: number): Promise<number> {
  const ended = await db<AlertRow>('limit_alerts')
    .where('created_at', '<', before)
    .andWhereRaw(
      `period_start < (SELECT MAX(later.period_start) FROM limit_alerts AS later
        WHERE later.organisation_id = limit_alerts.organisation_id AND later.subject = limit_alerts.subject)`,
    )
    .limit(batch)
    .select('id');
  const ids = ended.map(({ id }) => id);
  return ids.length === 0 ? 0 : db('limit_alerts').whereIn('id', ids).delete();
}
