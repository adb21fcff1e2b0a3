import {
  asString,
  type ControlHost,
  compact,
  type DirectoryReader,
  enforcedBudget,
  enforcedRateLimits,
  type IntegratedModel,
  type JsonObject,
  type ProviderEntry,
  type SecretMapping,
} from 'portcullis/sdk';
import { findProvider, type KnownProvider } from './catalogue/known-provider.ts';
import { headersIn, mappedSetting, unitSettings } from './configurations/unit-settings.ts';
import { statusOf } from './providers/values.ts';
import {
  type GrantRecord,
  type IntegrationRecord,
  type IntegrationSecrets,
  isSet,
  type ModelRecord,
  type ProviderRecord,
} from './records.ts';

/** What integrations are read with: by loaders of the directory, and in operations. */
type RecordReader = Pick<DirectoryReader, 'records'>;

/** A provider that resolves: its integration is active, and open to its workspace. */
export interface Live {
  readonly provider: ProviderRecord;
  readonly integration: IntegrationRecord;
  readonly grant: GrantRecord | undefined;
}

export async function liveProvider(reader: DirectoryReader, provider: ProviderRecord): Promise<Live | undefined> {
  const scope = { organisationId: provider.organisation_id };
  const integration = await reader.records<IntegrationRecord>('integrations').find(scope, provider.integration_id);
  if (integration?.status !== 'active') return undefined;
  if (integration.workspace_id === provider.workspace_id) return { provider, integration, grant: undefined };
  if (integration.workspace_id !== null) return undefined;
  const { records } = await reader
    .records<GrantRecord>('integration_workspaces')
    .list({ ...scope, workspaceId: provider.workspace_id }, { where: { integration_id: integration.id } });
  const [grant] = records;
  return grant !== undefined && isSet(grant.enabled) ? { provider, integration, grant } : undefined;
}

export async function providerEntry(
  host: ControlHost,
  reader: DirectoryReader,
  { provider, integration, grant }: Live,
): Promise<ProviderEntry> {
  const sealed: IntegrationSecrets = await reader.records<IntegrationRecord>('integrations').secrets(integration);
  const status = statusOf(provider, reader.now);
  const multiplier = integration.pricing_adjustments?.multiplier ?? undefined;
  return {
    ...(await integrationPart(host, reader, integration, sealed)),
    id: provider.id,
    slug: provider.slug ?? provider.id,
    name: provider.name,
    workspaceId: provider.workspace_id,
    status: status === 'active' && grant?.status === 'exhausted' ? 'exhausted' : status,
    ...(typeof provider.expires_at === 'number' ? { expiresAt: provider.expires_at } : {}),
    ...limitsOf(provider, 'usageLimits', 'rateLimits'),
    ...(grant === undefined ? {} : limitsOf(grant, 'grantUsageLimits', 'grantRateLimits')),
    ...(multiplier === undefined ? {} : { pricingMultiplier: multiplier }),
  };
}

type OfIntegration =
  | 'organisationId'
  | 'integrationId'
  | 'integrationSlug'
  | 'provider'
  | 'settings'
  | 'allowAllModels'
  | 'models'
  | 'customHost'
  | 'customHeaders'
  | 'secrets';

/** What its integration says of a provider. */
export async function integrationPart(
  host: ControlHost,
  reader: RecordReader,
  integration: IntegrationRecord,
  { key, secret_configurations }: IntegrationSecrets,
): Promise<Pick<ProviderEntry, OfIntegration>> {
  const known = knownOf(host, integration);
  const secrets = await secretMappings(reader, known, integration);
  const kept: JsonObject = { ...integration.clear_configurations, ...secret_configurations };
  const headers = headersIn(kept.custom_headers);
  return {
    organisationId: integration.organisation_id,
    integrationId: integration.id,
    integrationSlug: integration.slug ?? integration.id,
    provider: known.name,
    settings: unitSettings(known, asString(key), kept),
    allowAllModels: isSet(integration.allow_all_models),
    models: await integratedModels(reader, integration),
    ...(typeof kept.custom_host === 'string' ? { customHost: kept.custom_host } : {}),
    ...(headers === undefined ? {} : { customHeaders: headers }),
    ...(secrets.length === 0 ? {} : { secrets }),
  };
}

/** Under the name that the integration has, also where no such provider is installed: the request then says so. */
export function knownOf(host: ControlHost, { ai_provider_id: name }: IntegrationRecord): KnownProvider {
  return findProvider(host, name) ?? { name, unit: undefined, fields: new Map() };
}

function limitsOf(
  record: ProviderRecord | GrantRecord,
  usage: 'usageLimits' | 'grantUsageLimits',
  rate: 'rateLimits' | 'grantRateLimits',
) {
  const [budget] = record.usage_limits ?? [];
  const rates = enforcedRateLimits(record.rate_limits ?? []);
  return {
    ...(budget === undefined ? {} : { [usage]: enforcedBudget(budget, record) }),
    ...(rates.length === 0 ? {} : { [rate]: rates }),
  };
}

/** One whose reference is gone stays: its request is refused, with the name of what is missing. Reach is checked at use. */
async function secretMappings(
  reader: RecordReader,
  known: KnownProvider,
  { organisation_id: organisationId, secret_mappings: mappings }: IntegrationRecord,
): Promise<readonly SecretMapping[]> {
  const resolved: SecretMapping[] = [];
  for (const mapping of mappings ?? []) {
    const id = mapping.secret_reference_id;
    const reference = await reader.records('secret_references').find({ organisationId }, id);
    resolved.push(mappedSetting(known, mapping, reference?.slug ?? id));
  }
  return resolved;
}

export async function modelRecords(
  reader: RecordReader,
  integration: IntegrationRecord,
): Promise<readonly ModelRecord[]> {
  const { records } = await reader
    .records<ModelRecord>('integration_models')
    .list(
      { organisationId: integration.organisation_id },
      { where: { integration_id: integration.id }, orderBy: [{ column: 'model', order: 'asc' }] },
    );
  return records;
}

async function integratedModels(reader: RecordReader, integration: IntegrationRecord): Promise<IntegratedModel[]> {
  const models: IntegratedModel[] = [];
  for (const record of await modelRecords(reader, integration)) {
    // Few models have headers of their own, and opening them is the costly part.
    const sealed = record.masked_custom_headers ? await reader.records('integration_models').secrets(record) : {};
    const headers = headersIn(sealed.custom_headers);
    models.push({
      slug: record.model,
      enabled: isSet(record.enabled),
      ...compact({
        base: record.base_model_slug ?? undefined,
        customHost: record.custom_host ?? undefined,
        pricing: record.pricing_config ?? undefined,
      }),
      ...(headers === undefined ? {} : { customHeaders: headers }),
    });
  }
  return models;
}
