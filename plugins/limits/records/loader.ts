import type { DirectoryLoader, LimitPolicyEntry } from 'portcullis/sdk';
import { budgetOf } from './budget.ts';
import type { PolicyRecord, RatePolicyRecord, UsagePolicyRecord } from './tables.ts';

/** The policies of an organisation, oldest first; archived ones hold for nobody. */
export const loadPolicies: DirectoryLoader<'limitPolicies'> = async (reader, [organisationId = '']) => {
  const active = { where: { status: 'active' }, orderBy: [{ column: 'created_at', order: 'asc' as const }] };
  const usage = await reader.records<UsagePolicyRecord>('usage_limit_policies').list({ organisationId }, active);
  const rate = await reader.records<RatePolicyRecord>('rate_limit_policies').list({ organisationId }, active);
  return {
    organisationId,
    policies: [
      ...rate.records.map((record) => rateEntry(record)),
      ...usage.records.map((record) => ({ ...entryOf(record, 'usage'), limit: budgetOf(record) })),
    ],
  };
};

function rateEntry(record: RatePolicyRecord): LimitPolicyEntry {
  const { type, unit, value } = record;
  return { ...entryOf(record, 'rate'), limit: { type, unit, value } };
}

function entryOf(record: PolicyRecord, kind: LimitPolicyEntry['kind']): Omit<LimitPolicyEntry, 'limit'> {
  return {
    id: record.id,
    kind,
    name: record.name,
    conditions: record.conditions,
    groupBy: record.group_by.map(({ key }) => String(key)),
    ...(record.workspace_id === null ? {} : { workspaceId: record.workspace_id }),
  };
}
