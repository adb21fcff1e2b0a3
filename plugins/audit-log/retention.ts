import { type ControlHost, GatewayError, type Job } from 'portcullis/sdk';
import { type AuditRow, table } from './table.ts';

const dayMs = 86_400_000;
const batch = 1000;

/** How long entries are kept, in days; 0: for ever. @throws GatewayError `invalid_config` */
export function retentionDays(text: string | undefined): number {
  if (text === undefined || text.trim() === '') return 365;
  const days = /^\d{1,5}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  if (Number.isNaN(days)) {
    throw new GatewayError(
      'invalid_config',
      'AUDIT_RETENTION_DAYS must be an integer from 0 to 99999; 0 keeps entries for ever.',
      { param: 'AUDIT_RETENTION_DAYS' },
    );
  }
  return days;
}

/** Removes what is older, a batch at a time: each is a short transaction, so that changes are never kept waiting. */
export function retention(host: ControlHost, days: number): Job {
  return {
    name: 'audit-log.retention',
    schedule: '17 3 * * *',
    async run() {
      if (days === 0) return;
      const oldest = host.now() - days * dayMs;
      for (let removed = batch; removed === batch; ) removed = await removeBatch(host, oldest);
    },
  };
}

function removeBatch(host: ControlHost, oldest: number): Promise<number> {
  // The table holds all organisations; the job belongs to none.
  return host.transaction({ organisationId: '' }, async ({ db }) => {
    const rows = await db<AuditRow>(table)
      .where('created_at', '<', oldest)
      .orderBy('created_at')
      .limit(batch)
      .select('id');
    const ids = rows.map(({ id }) => id);
    return ids.length === 0 ? 0 : db(table).whereIn('id', ids).delete();
  });
}
