import {
  asObject,
  type Json,
  normaliseRateLimits,
  normaliseUsageLimits,
  type Operation,
  type StoredRecord,
} from 'portcullis/sdk';
import { noGlobalAccess } from '../integrations/values.ts';
import type { GlobalAccess, IntegrationRecord } from '../records.ts';
import { refuse } from '../refuse.ts';
import { grantsOf, setGrant } from './grants.ts';

const param = 'global_workspace_access';

/**
 * The settings that a body gives. @throws GatewayError `bad_request` without `enabled`, or for limits out of bounds
 */
export function globalAccess(value: Json | undefined, stored: GlobalAccess | null | undefined, provides: boolean) {
  if (value === undefined) return undefined;
  if (value === null) return noGlobalAccess;
  const given = asObject(value) ?? refuse(param, 'must be an object');
  if (typeof given.enabled !== 'boolean') return refuse(`${param}.enabled`, 'must be true or false');
  const { usage_limits: usage, rate_limits: rate } = given;
  return {
    enabled: given.enabled,
    usage_limits:
      usage === undefined ? (stored?.usage_limits ?? []) : normaliseUsageLimits(usage, `${param}.usage_limits`),
    rate_limits:
      rate === undefined ? (stored?.rate_limits ?? []) : normaliseRateLimits(rate, `${param}.rate_limits`, { max: 1 }),
    create_default_provider: provides,
  } satisfies GlobalAccess;
}

export interface Provisioning {
  readonly access: GlobalAccess;
  /** Whether workspaces that have a grant of their own get these settings too. */
  readonly override: boolean;
  readonly defaultProviderSlug: string | undefined;
}

/** Gives all workspaces what the global settings say: those without a grant, or each one. */
export async function provisionAll(
  operation: Operation,
  integration: IntegrationRecord,
  { access, override, defaultProviderSlug }: Provisioning,
): Promise<void> {
  if (!access.enabled && !override) return;
  const { organisationId } = operation.scope;
  const granted = new Set((await grantsOf(operation, integration.id)).map(({ workspace_id }) => workspace_id));
  const { records } = await operation.records('workspaces').list({ organisationId }, { where: { status: 'active' } });
  for (const { id } of records) {
    if (granted.has(id) ? override : access.enabled)
      await setGrant(operation, integration, id, grantOf(access, defaultProviderSlug));
  }
}

function grantOf(access: GlobalAccess, slug: string | undefined) {
  return {
    enabled: access.enabled,
    usage_limits: access.usage_limits,
    rate_limits: access.rate_limits,
    createDefaultProvider: access.create_default_provider,
    ...(slug === undefined ? {} : { defaultProviderSlug: slug }),
    param,
  };
}

/** A new workspace gets what is shared with all. */
export async function provisionWorkspace(operation: Operation, workspace: StoredRecord): Promise<void> {
  const scope = { organisationId: workspace.organisation_id };
  const { records } = await operation
    .records<IntegrationRecord>('integrations')
    .list(scope, { where: { status: 'active', type: 'organisation', global_access: 1 } });
  for (const integration of records) {
    const access = integration.global_workspace_access_settings;
    if (access) await setGrant(operation.at(scope), integration, workspace.id, grantOf(access, undefined));
  }
}
