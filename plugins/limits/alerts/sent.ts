import { hash } from 'node:crypto';
import type { Db, Operation } from 'portcullis/sdk';
import type { AlertRow } from '../records/tables.ts';

/** What an alert is about. */
export type AlertFacts = Pick<AlertRow, 'organisation_id' | 'subject' | 'value_key' | 'period_start' | 'kind'>;

/** Takes it upon this process to tell people; false: somebody has. Inside a transaction. */
export async function claimAlert({ db, now, newId }: Operation, facts: AlertFacts): Promise<boolean> {
  const id = newId();
  const digest = digestOf(facts);
  await db<AlertRow>('limit_alerts')
    .insert({ id, digest, ...facts, created_at: now })
    .onConflict('digest')
    .ignore();
  const winner = await db<AlertRow>('limit_alerts').where('digest', digest).first('id');
  return winner?.id === id;
}

/** Which alerts of a subject people have had in a period: `threshold/<value key>`. */
export async function alertsSent(
  db: Db,
  organisationId: string,
  subject: string,
  periodStart: number,
): Promise<ReadonlySet<string>> {
  const rows = await db<AlertRow>('limit_alerts')
    .where({ organisation_id: organisationId, subject, period_start: periodStart })
    .select('kind', 'value_key');
  return new Set(rows.map(({ kind, value_key }) => `${kind}/${value_key}`));
}

/** Lets them be sent again: all of a subject, or those of one kind or group. */
export async function forgetAlerts(
  db: Db,
  organisationId: string,
  subject: string,
  which: Partial<Pick<AlertRow, 'kind' | 'value_key'>> = {},
): Promise<void> {
  await db<AlertRow>('limit_alerts')
    .where({ organisation_id: organisationId, subject, ...which })
    .delete();
}

function digestOf({ organisation_id, subject, value_key, period_start, kind }: AlertFacts): string {
  return hash('sha256', JSON.stringify([organisation_id, subject, value_key, period_start, kind]), 'hex');
}
