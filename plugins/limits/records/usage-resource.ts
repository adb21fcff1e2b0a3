import {
  type ControlHost,
  field,
  fixed,
  input,
  lastReset,
  nextReset,
  nullable,
  type Resource,
  readOnly,
  required,
  type StoredRecord,
  schema,
  usageLimitTypes,
  usageResets,
} from 'portcullis/sdk';
import { budgetOf } from './budget.ts';
import { policyLists } from './condition-field.ts';
import { resetGroup } from './group-reset.ts';
import { groupActions, usageMap } from './groups.ts';
import type { UsagePolicyRecord } from './tables.ts';
import { changedUsagePolicy, newUsagePolicy } from './usage-values.ts';

const group = schema.Object({
  current_usage: schema.Number(),
  status: field.oneOf(['active', 'exhausted']),
  is_threshold_alerts_sent: schema.Boolean(),
  is_exhausted_alerts_sent: schema.Boolean(),
});

/** Budgets by what requests are about: each group of a policy has one of its own. */
export function usagePolicies(host: ControlHost): Resource {
  return {
    name: 'usage_limit_policies',
    object: 'policy_usage_limits',
    noun: 'usage limits policy',
    title: 'Usage limits policies',
    path: '/policies/usage-limits',
    owner: 'either',
    permission: 'policies',
    removal: 'archive',
    onWorkspaceRemoval: 'follow',
    columns: ['name', 'type'],
    fields: {
      name: nullable(field.text({ max: 255 })),
      description: nullable(field.text({ max: 500 })),
      conditions: required(policyLists.conditions()),
      group_by: fixed(required(policyLists.group_by())),
      type: fixed(required(field.oneOf(usageLimitTypes))),
      credit_limit: required(schema.Number({ minimum: 0, description: 'US dollars, tokens or requests.' })),
      alert_threshold: nullable(schema.Number({ minimum: 0, description: 'Below credit_limit.' })),
      periodic_reset: nullable(field.oneOf(usageResets)),
      periodic_reset_days: nullable(field.integer(1, 365)),
      next_usage_reset_at: nullable(field.time('iso')),
      last_reset_at: readOnly(nullable(field.time())),
      target: input(fixed(nullable(field.oneOf(['llm', 'mcp_tools'])))),
      status: field.oneOf(['active', 'archived']),
      reset_usage_for_value: input(nullable(field.text({ min: 1, max: 400, description: 'A value key.' }))),
    },
    filters: {
      status: field.oneOf(['active', 'archived']),
      type: field.oneOf(usageLimitTypes),
      search: field.text({ min: 1 }),
      include_usage: field.boolean(),
    },
    shown: {
      next_usage_reset_at: schema.Unsafe<string | null>({ type: ['string', 'null'] }),
      target: field.oneOf(['llm']),
      value_key_usage_map: schema.Optional(schema.Record(schema.String(), group)),
    },
    hooks: {
      // Archived ones are there to be read.
      visible: () => true,
      create: ({ now }, body) => newUsagePolicy(body, now),
      update: (operation, record, body) => {
        const policy = asPolicy(record);
        const value = body.reset_usage_for_value;
        if (typeof value === 'string')
          operation.afterCommit(async () => {
            await resetGroup(host, policy, value);
          });
        return changedUsagePolicy(policy, body, operation.now);
      },
      show: async (operation, record) => {
        const policy = asPolicy(record);
        const limits = budgetOf(policy);
        const { now, query } = operation;
        return {
          slug: undefined,
          last_reset_at: operation.time(lastReset(limits, policy, now)),
          next_usage_reset_at: nextReset(limits, now),
          target: 'llm',
          ...(query.include_usage === 'true' ? { value_key_usage_map: await usageMap(host, operation, policy) } : {}),
        };
      },
    },
    actions: groupActions(host),
  };
}

const asPolicy = (record: StoredRecord) => record as UsagePolicyRecord;
