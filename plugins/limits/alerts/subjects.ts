import {
  asString,
  enforcedBudget,
  type LimitSpec,
  type Operation,
  type StoredRecord,
  type UsageLimits,
} from 'portcullis/sdk';
import { budgetOf } from '../records/budget.ts';
import type { UsagePolicyRecord } from '../records/tables.ts';
import type { Counted } from './counted.ts';

/** Whose budget it is that people are told of. */
export interface Subject {
  /** As `enforcedBudget` gives it. */
  readonly limits: LimitSpec;
  /** `The API key "billing"`. */
  readonly title: string;
  /** What a mail says of it beside its budget. */
  readonly aside: readonly string[];
  readonly resource: string;
  readonly record: StoredRecord;
  /** Undefined: it belongs to the organisation itself. */
  readonly workspaceId: string | undefined;
}

interface Budgeted extends StoredRecord {
  readonly name?: string;
  readonly usage_limits?: readonly UsageLimits[] | null;
}

/** Undefined: it is gone, has no budget any more, or nobody is to be told, as of tokens, which nobody keeps. */
export async function subjectOf(operation: Operation, { owner, id }: Counted): Promise<Subject | undefined> {
  const scope = { organisationId: operation.scope.organisationId };
  switch (owner) {
    case 'key':
      return budgeted('api_keys', await operation.records<Budgeted>('api_keys').find(scope, id), 'The API key');
    case 'provider':
      return budgeted('providers', await operation.records<Budgeted>('providers').find(scope, id), 'The provider');
    case 'workspace':
      return budgeted('workspaces', await operation.records<Budgeted>('workspaces').find(scope, id), 'The workspace');
    case 'grant':
      return grant(operation, id);
    case 'policy':
      return policy(operation, await operation.records<UsagePolicyRecord>('usage_limit_policies').find(scope, id));
    case 'token':
      return undefined;
  }
}

function budgeted(resource: string, record: Budgeted | undefined, what: string, name?: string): Subject | undefined {
  const limits = record?.usage_limits?.[0];
  if (record === undefined || limits === undefined || record.status === 'archived') return undefined;
  return {
    limits: enforcedBudget(limits, record),
    title: `${what} "${name ?? record.name ?? record.slug ?? record.id}"`,
    aside: [],
    resource,
    record,
    workspaceId: resource === 'workspaces' ? record.id : (record.workspace_id ?? undefined),
  };
}

async function grant(operation: Operation, id: string): Promise<Subject | undefined> {
  const { organisationId } = operation.scope;
  const [integrationId = '', workspaceId = ''] = id.split('.');
  const { records } = await operation
    .records<Budgeted>('integration_workspaces')
    .list({ organisationId, workspaceId }, { where: { integration_id: integrationId } });
  const integration = await operation.records('integrations').find({ organisationId }, integrationId);
  const workspace = await operation.records('workspaces').find({ organisationId }, workspaceId);
  const name = `${integration?.slug ?? integrationId} in ${workspace?.slug ?? workspaceId}`;
  return budgeted('integration_workspaces', records[0], 'The integration', name);
}

async function policy(operation: Operation, record: UsagePolicyRecord | undefined): Promise<Subject | undefined> {
  if (record === undefined || record.status !== 'active') return undefined;
  const { id, name } = record;
  const isNamed = name !== null && name !== '';
  return {
    limits: budgetOf(record),
    title: isNamed ? `The policy "${name}"` : `A policy without a name in ${await placeOf(operation, record)}`,
    aside: isNamed ? [] : [`The id of the policy is ${id}.`],
    resource: 'usage_limit_policies',
    record,
    workspaceId: record.workspace_id ?? undefined,
  };
}

async function placeOf(operation: Operation, { workspace_id: workspaceId }: UsagePolicyRecord): Promise<string> {
  if (workspaceId === null) return 'the organisation';
  const { organisationId } = operation.scope;
  const workspace = await operation.records('workspaces').find({ organisationId }, workspaceId);
  return `the workspace "${asString(workspace?.name) ?? workspaceId}"`;
}
