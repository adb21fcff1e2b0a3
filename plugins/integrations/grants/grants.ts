import {
  type JsonObject,
  keptReset,
  liftsUsageLimit,
  normaliseRateLimits,
  normaliseUsageLimits,
  type Operation,
  type Values,
} from 'portcullis/sdk';
import { createDefaultProvider } from '../providers/default-provider.ts';
import { type GrantRecord, type IntegrationRecord, isSet } from '../records.ts';
import { checkReach } from '../secret-mappings.ts';

const grants = (operation: Operation) => operation.records<GrantRecord>('integration_workspaces');

/** All grants of an integration, the newest first. */
export async function grantsOf(operation: Operation, integrationId: string): Promise<readonly GrantRecord[]> {
  const { organisationId } = operation.scope;
  const { records } = await grants(operation).list({ organisationId }, { where: { integration_id: integrationId } });
  return records;
}

export async function enabledGrants(operation: Operation, integrationId: string): Promise<readonly GrantRecord[]> {
  return (await grantsOf(operation, integrationId)).filter(({ enabled }) => isSet(enabled));
}

/** What a workspace may use of the organisation's integrations. */
export async function enabledGrantsIn(operation: Operation, workspaceId: string): Promise<readonly GrantRecord[]> {
  const scope = { organisationId: operation.scope.organisationId, workspaceId };
  return (await grants(operation).list(scope, { where: { enabled: 1 } })).records;
}

export interface GrantChange {
  readonly enabled: boolean;
  /** As in a body: absent stays, null clears. */
  readonly usage_limits?: unknown;
  readonly rate_limits?: unknown;
  readonly reset_usage?: boolean;
  readonly createDefaultProvider: boolean;
  readonly defaultProviderSlug?: string;
  /** Where the change stands in the body. */
  readonly param: string;
}

/**
 * Gives a workspace access to an integration, or takes it: what exists is changed.
 * @throws GatewayError `bad_request` for limits out of bounds, a taken provider slug, or secret references out of reach
 */
export async function setGrant(
  operation: Operation,
  integration: IntegrationRecord,
  workspaceId: string,
  change: GrantChange,
): Promise<void> {
  const { organisationId } = operation.scope;
  const scope = { organisationId, workspaceId };
  const { records } = await grants(operation).list(scope, { where: { integration_id: integration.id } });
  const before = records[0];
  if (change.enabled) await checkReach(operation, integration.secret_mappings ?? [], workspaceId, change.param);
  const values = changedGrant(operation, before, change);
  if (before === undefined) await grants(operation).create(scope, { integration_id: integration.id, ...values });
  else await grants(operation).update(scope, before.id, values);
  const opened = change.enabled && !isSet(before?.enabled);
  if (!opened || !change.createDefaultProvider) return;
  const known = await operation.records('providers').count(scope, { integration_id: integration.id });
  if (known > 0) return;
  const param = `${change.param}.default_provider_slug`;
  await createDefaultProvider(operation, integration, workspaceId, change.defaultProviderSlug, param);
}

function changedGrant(operation: Operation, before: GrantRecord | undefined, change: GrantChange): Values {
  const old = before?.usage_limits ?? [];
  const { usage_limits: usage, rate_limits: rate, param } = change;
  const usageLimits = usage === undefined ? old : normaliseUsageLimits(usage, `${param}.usage_limits`);
  const rateLimits =
    rate === undefined ? (before?.rate_limits ?? []) : normaliseRateLimits(rate, `${param}.rate_limits`, { max: 1 });
  const reset = change.reset_usage === true;
  return {
    enabled: change.enabled ? 1 : 0,
    usage_limits: usageLimits,
    rate_limits: rateLimits,
    ...(reset || liftsUsageLimit(old, usageLimits) ? { status: 'active' } : {}),
    ...keptReset(before ?? { created_at: operation.now }, old, usageLimits, operation.now),
    ...(reset ? { last_reset_at: operation.now } : {}),
  };
}

/** The grants' members as a reply shows them; empty limits are null. */
export function shownLimits(limits: readonly JsonObject[] | null | undefined): readonly JsonObject[] | null {
  return limits === undefined || limits === null || limits.length === 0 ? null : limits;
}
