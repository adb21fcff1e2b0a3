import { asObjects, compact, type JsonObject, lastReset, type Operation, omit } from 'portcullis/sdk';
import { shownConfigurations } from '../configurations/merge.ts';
import { budgetOf, statusOf } from '../providers/values.ts';
import type { IntegrationRecord, ProviderRecord } from '../records.ts';
import type { UsageShown } from '../standings.ts';

/** A provider as the older routes show it: with the credential's place, never the credential. */
export function shownVirtualKey(
  operation: Operation,
  record: ProviderRecord,
  integration: IntegrationRecord | undefined,
  { workspaceName, usage }: { readonly workspaceName?: string | undefined; readonly usage: UsageShown | undefined },
): JsonObject {
  const status = statusOf(record, operation.now);
  return {
    ...compact({ provider: integration?.ai_provider_id, workspace_name: workspaceName }),
    id: record.id,
    ai_provider_name: integration?.ai_provider_id ?? null,
    model_config: modelConfigOf(integration),
    key: '',
    masked_api_key: integration?.masked_key ?? null,
    slug: record.slug,
    name: record.name,
    note: record.note ?? null,
    status: status === 'active' && usage?.exhausted === true ? 'exhausted' : status,
    usage_limits: budgetOf(record, operation.now),
    reset_usage: null,
    created_at: operation.time(record.created_at),
    last_updated_at: operation.time(record.last_updated_at),
    rate_limits: record.rate_limits ?? [],
    expires_at: operation.time(record.expires_at),
    last_reset_at: operation.time(usage?.lastResetAt ?? lastReset(undefined, record, operation.now)),
    integration_id: record.integration_id,
    workspace_id: record.workspace_id,
    tags: record.tags ?? null,
    secret_mappings: mappingsOf(integration),
    object: 'virtual-key',
  };
}

/** Azure's in the names of these routes, all others in their own. */
function modelConfigOf(integration: IntegrationRecord | undefined): JsonObject {
  if (integration === undefined) return {};
  const shown = shownConfigurations(integration.clear_configurations ?? {}, integration.masked_configurations ?? {});
  const { azure_resource_name: resourceName, azure_deployment_config: list } = shown;
  if (list === undefined) return shown;
  const deploymentConfig = asObjects(list).map((entry) =>
    compact({
      apiVersion: entry.azure_api_version,
      deploymentName: entry.azure_deployment_name,
      alias: entry.alias,
      is_default: entry.is_default,
    }),
  );
  return {
    ...omit(shown, new Set(['azure_resource_name', 'azure_deployment_config'])),
    ...compact({ resourceName }),
    deploymentConfig,
  };
}

function mappingsOf(integration: IntegrationRecord | undefined): JsonObject[] {
  return (integration?.secret_mappings ?? []).map((mapping) => ({
    ...mapping,
    target_field: mapping.target_field.replace(/^configurations\./, 'model_config.'),
  }));
}
