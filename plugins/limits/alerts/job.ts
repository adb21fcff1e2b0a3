import {
  asNumber,
  budgetAmount,
  budgetPeriod,
  budgetUnits,
  type ControlHost,
  type Job,
  type Operation,
} from 'portcullis/sdk';
import type { AlertRow, UsagePolicyRecord } from '../records/tables.ts';
import { type Counted, countedIn } from './counted.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { earlierMails } from './earlier-mails.ts';
import { groupOf } from './group.ts';
import { tell } from './mail.ts';
import { claimAlert } from './sent.ts';
import { type Subject, subjectOf } from './subjects.ts';

type Host = Pick<ControlHost, 'counters' | 'transaction' | 'mails' | 'log'>;
type Change = Awaited<ReturnType<ControlHost['counters']['changedSince']>>[number];

const standardBatch = 2000;
const mostAtOnce = 500_000;
/** Changes become known in batches, by processes whose clocks differ: the last ones are looked at once more. */
const overlapMs = 120_000;
/** Of one transaction. */
const mostInTransaction = 200;

/**
 * Looks at the budgets that have been used since the last run, and tells people, once in each period, that a threshold was
 * crossed or a limit used up.
 */
export function alertJob(host: Host): Job {
  const handOver = earlierMails(host);
  const run = async () => {
    await handOver();
    await lookAtChanges(host);
  };
  return { name: 'limits.alerts', schedule: '* * * * *', run };
}

async function lookAtChanges(host: Host): Promise<void> {
  let from = Math.max(0, (await readCursor(host)) - overlapMs);
  for (let batch = standardBatch; batch <= mostAtOnce; ) {
    const changes = await host.counters.changedSince(from, batch);
    for (const [organisationId, own] of byOrganisation(changes)) await alertAll(host, organisationId, own);
    const newest = changes.at(-1)?.changedAt;
    if (newest !== undefined) await writeCursor(host, newest);
    if (newest === undefined || changes.length < batch) return;
    // Many changes of one moment: a longer look gets past them.
    if (newest === from) batch *= 4;
    from = newest;
  }
}

function byOrganisation(changes: readonly Change[]): ReadonlyMap<string, Change[]> {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    const own = found.get(change.organisationId) ?? [];
    own.push(change);
    found.set(change.organisationId, own);
  }
  return found;
}

/** One organisation that fails is logged, and looked at again in the next run; it keeps none of the others. */
async function alertAll(host: Host, organisationId: string, changes: readonly Change[]): Promise<void> {
  for (let from = 0; from < changes.length; from += mostInTransaction) {
    const part = changes.slice(from, from + mostInTransaction);
    await host
      .transaction({ organisationId }, async (operation) => {
        const subjects = new Map<string, Promise<Subject | undefined>>();
        for (const change of part) await alert(operation, host, change, subjects);
      })
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : 'not an error';
        host.log.error('limit_alerts_failed', { organisation: organisationId, error: why });
      });
  }
}

async function alert(
  operation: Operation,
  host: Host,
  change: Change,
  subjects: Map<string, Promise<Subject | undefined>>,
): Promise<void> {
  const counted = countedIn(change.name);
  if (counted === undefined) return;
  const id = `${counted.owner}/${counted.id}`;
  const loading = subjects.get(id) ?? subjectOf(operation, counted);
  subjects.set(id, loading);
  const subject = await loading;
  if (subject === undefined || subject.limits.type !== counted.type) return;
  // What was used in a period that is over concerns nobody any more.
  if (budgetPeriod(subject.limits, operation.now).start !== change.start) return;
  for (const kind of crossed(subject, counted, change.used)) {
    const facts = {
      organisation_id: change.organisationId,
      subject: id,
      value_key: counted.valueKey,
      period_start: change.start,
      kind,
    };
    if (!(await claimAlert(operation, facts))) continue;
    const used = amountOf(subject, counted, change.used);
    const group =
      counted.valueKey === ''
        ? undefined
        : await groupOf(operation, subject.record as UsagePolicyRecord, counted.valueKey);
    await tell(operation, host, subject, kind, { used, group });
    await record(operation, subject, facts, used);
  }
}

function crossed({ limits }: Subject, { refusedAt }: Counted, used: number): readonly AlertRow['kind'][] {
  const { type } = limits;
  const limit = asNumber(limits.credit_limit);
  const threshold = asNumber(limits.alert_threshold);
  const most = limit === undefined ? undefined : budgetUnits(type, limit);
  // A mark of another limit: it has been changed since.
  if (refusedAt !== undefined) return used > 0 && refusedAt === most ? ['exhausted'] : [];
  const kinds: AlertRow['kind'][] = [];
  if (threshold !== undefined && used >= budgetUnits(type, threshold)) kinds.push('threshold');
  if (most !== undefined && used >= most) kinds.push('exhausted');
  return kinds;
}

/** A mark says that a budget refuses, and by then it is as good as used up. */
function amountOf({ limits }: Subject, { refusedAt }: Counted, used: number): number {
  return budgetAmount(limits.type, refusedAt ?? used);
}

async function record(
  operation: Operation,
  { resource, record: { id }, limits, workspaceId }: Subject,
  { kind, value_key: valueKey }: Pick<AlertRow, 'kind' | 'value_key'>,
  used: number,
): Promise<void> {
  await operation.record({
    organisationId: operation.scope.organisationId,
    ...(workspaceId === undefined ? {} : { workspaceId }),
    resourceType: resource,
    resourceId: id,
    action: kind === 'exhausted' ? 'usage_limit_exhausted' : 'usage_limit_threshold',
    userType: 'system',
    detail: { used, usage_limits: limits, ...(valueKey === '' ? {} : { value_key: valueKey }) },
  });
}
