import { budgetName, enforcedBudget, type LimitSpec, type UsageLimits } from 'portcullis/sdk';
import type { UsagePolicyRecord } from './tables.ts';

type Cadence = 'periodic_reset' | 'periodic_reset_days' | 'next_usage_reset_at';
export type CadenceValues = Pick<UsagePolicyRecord, Cadence>;
export type BudgetValues = CadenceValues & Pick<UsagePolicyRecord, 'type' | 'credit_limit' | 'alert_threshold'>;

/** A policy's limit in the form that keys and workspaces have it. */
export function limitsOf(record: BudgetValues): UsageLimits {
  const { credit_limit, type, alert_threshold, periodic_reset, periodic_reset_days, next_usage_reset_at } = record;
  return {
    credit_limit,
    type,
    alert_threshold,
    periodic_reset,
    periodic_reset_days,
    next_usage_reset_at: next_usage_reset_at === null ? null : new Date(next_usage_reset_at).toISOString(),
  };
}

/** As it is enforced. People reset the groups of a policy, one by one, and never all of it. */
export function budgetOf(record: UsagePolicyRecord): LimitSpec {
  return enforcedBudget(limitsOf(record), record);
}

/** What the names of its groups' counts begin with; the value key follows. */
export function prefixOf({ id, type }: UsagePolicyRecord): string {
  return `${budgetName('policy', id, type)}/`;
}
