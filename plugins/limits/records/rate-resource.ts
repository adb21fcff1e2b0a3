import {
  field,
  fixed,
  input,
  type JsonObject,
  nullable,
  type Resource,
  rateLimitTypes,
  required,
  type Values,
} from 'portcullis/sdk';
import { policyLists, readConditions, readGroupBy } from './condition-field.ts';
import { refuseArchived, refuseBornArchived, refuseTools } from './usage-values.ts';

const units = ['rpm', 'rph', 'rpd', 'rpw'] as const;

/** Rate limits by what requests are about: each group of a policy has windows of its own. */
export const ratePolicies: Resource = {
  name: 'rate_limit_policies',
  object: 'policy_rate_limits',
  noun: 'rate limits policy',
  title: 'Rate limits policies',
  path: '/policies/rate-limits',
  owner: 'either',
  permission: 'policies',
  removal: 'archive',
  onWorkspaceRemoval: 'follow',
  columns: ['name', 'type', 'unit'],
  fields: {
    name: nullable(field.text({ max: 255 })),
    description: nullable(field.text({ max: 500 })),
    conditions: required(policyLists.conditions()),
    group_by: fixed(required(policyLists.group_by())),
    type: fixed(required(field.oneOf(rateLimitTypes))),
    unit: required(field.oneOf(units)),
    value: required(field.integer(1)),
    target: input(fixed(nullable(field.oneOf(['llm', 'mcp_tools'])))),
    status: field.oneOf(['active', 'archived']),
  },
  filters: {
    status: field.oneOf(['active', 'archived']),
    type: field.oneOf(rateLimitTypes),
    unit: field.oneOf(units),
    search: field.text({ min: 1 }),
  },
  shown: { target: field.oneOf(['llm']) },
  hooks: {
    // Archived ones are there to be read.
    visible: () => true,
    create: (_, body) => newPolicy(body),
    update: (_, record, body) => {
      refuseArchived(record, body);
      return body.conditions === undefined ? {} : { conditions: readConditions(body.conditions, 'rate') };
    },
    show: () => ({ slug: undefined, target: 'llm' }),
  },
};

function newPolicy(body: JsonObject): Values {
  refuseTools(body);
  refuseBornArchived(body);
  return {
    name: body.name ?? null,
    description: body.description ?? null,
    conditions: readConditions(body.conditions, 'rate'),
    group_by: readGroupBy(body.group_by, 'rate'),
  };
}
