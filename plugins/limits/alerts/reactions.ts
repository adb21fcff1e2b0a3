import { asObject, liftsUsageLimit, type Reaction, type StoredRecord, type UsageLimits } from 'portcullis/sdk';
import { limitsOf } from '../records/budget.ts';
import type { UsagePolicyRecord } from '../records/tables.ts';
import { forgetAlerts } from './sent.ts';

type Read = (record: StoredRecord) => readonly UsageLimits[];

interface AlertSubject {
  readonly name: (record: StoredRecord) => string;
  readonly limits: Read;
}

const ownLimits: Read = (record) => (record.usage_limits ?? []) as readonly UsageLimits[];

/** What alerts are sent about, by resource: the name of the subject, and its budget. */
const subjects: Readonly<Record<string, AlertSubject>> = {
  api_keys: { name: ({ id }) => `key/${id}`, limits: ownLimits },
  providers: { name: ({ id }) => `provider/${id}`, limits: ownLimits },
  workspaces: { name: ({ id }) => `workspace/${id}`, limits: ownLimits },
  integration_workspaces: {
    name: ({ integration_id, workspace_id }) => `grant/${integration_id}.${workspace_id}`,
    limits: ownLimits,
  },
  usage_limit_policies: {
    name: ({ id }) => `policy/${id}`,
    limits: (record) => [limitsOf(record as UsagePolicyRecord)],
  },
};

/**
 * A raised limit lets both alerts be sent again; a raised threshold, or none, that of the threshold. A reset begins a period,
 * which has alerts of its own.
 */
export const alertReactions: Readonly<Record<string, Reaction>> = Object.fromEntries(
  Object.entries(subjects).flatMap(([resource, subject]) => [
    [`${resource}.updated`, afterUpdate(subject)],
    [
      `${resource}.removed`,
      ({ db }, record) => forgetAlerts(db, record.organisation_id, subject.name(record)),
    ] satisfies [string, Reaction],
  ]),
);

function afterUpdate({ name, limits }: AlertSubject): Reaction {
  return async ({ db }, record, detail) => {
    const before = asObject(detail.before) as unknown as StoredRecord | undefined;
    if (before === undefined) return;
    const old = limits(before);
    const fresh = limits(record);
    if (liftsUsageLimit(old, fresh)) await forgetAlerts(db, record.organisation_id, name(record));
    else if (raisesThreshold(old, fresh))
      await forgetAlerts(db, record.organisation_id, name(record), { kind: 'threshold' });
  };
}

function raisesThreshold([before]: readonly UsageLimits[], [after]: readonly UsageLimits[]): boolean {
  const old = before?.alert_threshold ?? null;
  const fresh = after?.alert_threshold ?? null;
  return old !== null && (fresh === null || fresh > old);
}
