import {
  asString,
  type ControlHost,
  detail as detailed,
  field,
  fixed,
  input,
  type JsonObject,
  nullable,
  type Operation,
  type Resource,
  readOnly,
  required,
} from 'portcullis/sdk';
import { shownConfigurations } from '../configurations/merge.ts';
import { enabledGrants } from '../grants/grants.ts';
import { shownGlobalAccess } from '../grants/shown.ts';
import { familyOf } from '../permission.ts';
import { pricingAdjustments } from '../pricing.ts';
import { createDefaultProvider } from '../providers/default-provider.ts';
import { checkProviderSlug } from '../providers/slug.ts';
import type { IntegrationRecord } from '../records.ts';
import { integrationActions } from './actions.ts';
import { integrationDetail } from './shape.ts';
import { changedIntegration, newIntegration } from './values.ts';

/** Credentials of a provider, of the organisation or of one workspace. Lists have a rule of their own: see actions. */
export function integrations(host: ControlHost): Resource {
  return {
    name: 'integrations',
    object: 'integration',
    title: 'Integrations',
    path: '/integrations',
    owner: 'either',
    permission: {
      families: ['organisation_integrations', 'workspace_integrations'],
      of: ({ workspaceId, record }) => familyOf(record === undefined ? workspaceId : record.workspace_id),
    },
    slug: { prefix: '', given: true },
    removal: 'archive',
    operations: ['get', 'create', 'update', 'remove'],
    columns: ['name', 'ai_provider_id', 'type', 'global_access', 'hidden'],
    fields: {
      name: required(field.name()),
      ai_provider_id: fixed(
        required(field.text({ min: 1, description: 'A provider, by its name or an alias of it.' })),
      ),
      description: nullable(field.text({ max: 2048 })),
      type: readOnly(field.oneOf(['organisation', 'workspace'])),
      key: nullable(field.secret()),
      masked_key: detailed(readOnly(nullable(field.text()))),
      configurations: input(nullable(field.object({ description: 'Settings of the provider; absent ones stay.' }))),
      clear_configurations: readOnly(field.object()),
      masked_configurations: readOnly(field.object()),
      secret_configurations: readOnly(field.secret()),
      secret_mappings: detailed(nullable(field.list(field.object()))),
      pricing_adjustments: detailed(pricingAdjustments),
      tags: detailed(nullable(field.strings(255))),
      allow_all_models: detailed(readOnly(field.flag())),
      global_access: readOnly(field.flag()),
      global_workspace_access_settings: detailed(readOnly(field.object())),
      hidden: readOnly(field.flag()),
      create_default_provider: input(fixed(nullable(field.flag()))),
      default_provider_slug: input(fixed(nullable(field.slug()))),
    },
    hooks: {
      create: async (operation, body) => {
        const slug = asString(body.default_provider_slug);
        if (slug !== undefined) await checkProviderSlug(operation, operation.scope.workspaceId, slug);
        return newIntegration(host, operation, body);
      },
      created: async (operation, record) => {
        const { create_default_provider: wanted, default_provider_slug: slug } = operation.body;
        if (record.workspace_id === null || wanted === 0) return;
        await createDefaultProvider(operation, record as IntegrationRecord, record.workspace_id, asString(slug));
      },
      update: (operation, record, body) => changedIntegration(host, operation, record as IntegrationRecord, body),
      visible: (_, record) => record.status !== 'archived' && !(record as IntegrationRecord).hidden,
      show: (operation, record, { detail }) => shownIntegration(operation, record as IntegrationRecord, detail),
    },
    replies: { get: { schema: integrationDetail, of: ({ shown }) => shown } },
    actions: integrationActions(host),
  };
}

async function shownIntegration(operation: Operation, record: IntegrationRecord, detail: boolean): Promise<JsonObject> {
  const inner = {
    hidden: undefined,
    global_access: undefined,
    clear_configurations: undefined,
    masked_configurations: undefined,
    description: record.description ?? null,
  } as unknown as JsonObject;
  if (!detail) return inner;
  const grants = record.workspace_id === null ? await enabledGrants(operation, record.id) : [];
  return {
    ...inner,
    configurations: shownConfigurations(record.clear_configurations ?? {}, record.masked_configurations ?? {}),
    allow_all_models: record.allow_all_models === 1 || record.allow_all_models === true,
    secret_mappings: record.secret_mappings ?? [],
    pricing_adjustments: (record.pricing_adjustments ?? null) as JsonObject | null,
    tags: record.tags ?? null,
    global_workspace_access_settings: shownGlobalAccess(record),
    workspace_count: record.workspace_id === null ? grants.length : 1,
  };
}
