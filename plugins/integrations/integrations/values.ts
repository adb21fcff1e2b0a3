import { asObject, asString, type ControlHost, type JsonObject, type Operation, type Values } from 'portcullis/sdk';
import { providerNamed } from '../catalogue/known-provider.ts';
import { mergeConfigurations } from '../configurations/merge.ts';
import { enabledGrants } from '../grants/grants.ts';
import { mask } from '../mask.ts';
import type { GlobalAccess, IntegrationRecord, IntegrationSecrets } from '../records.ts';
import { checkedMappings, mappedFields } from '../secret-mappings.ts';
import { demandLending } from './lent.ts';
import { demandCredentialsOfNewPlace } from './moved.ts';

export const noGlobalAccess: GlobalAccess = {
  enabled: false,
  usage_limits: [],
  rate_limits: [],
  create_default_provider: true,
};

/**
 * What is stored of a new integration.
 * @throws GatewayError `bad_request` for whatever does not fit the provider, `forbidden` where it would tell a secret
 */
export async function newIntegration(host: ControlHost, operation: Operation, body: JsonObject): Promise<Values> {
  const provider = providerNamed(host, String(body.ai_provider_id), 'ai_provider_id');
  const { workspaceId } = operation.scope;
  const mappings = await checkedMappings(
    operation,
    provider,
    body.secret_mappings,
    workspaceId === undefined ? [] : [workspaceId],
  );
  const { clear, secret, masked } = await mergeConfigurations({
    host,
    provider,
    given: asObject(body.configurations) ?? {},
    stored: { clear: {}, secret: {} },
    mapped: mappedFields(mappings),
  });
  await demandLending(operation, undefined, { mappings: [], configurations: {} }, { mappings, configurations: clear });
  const key = asString(body.key);
  return {
    type: workspaceId === undefined ? 'organisation' : 'workspace',
    masked_key: key === undefined ? null : mask(key),
    clear_configurations: clear,
    secret_configurations: secret,
    masked_configurations: masked,
    secret_mappings: mappings,
    allow_all_models: 1,
    global_access: 0,
    global_workspace_access_settings: noGlobalAccess,
    hidden: 0,
  };
}

/** What changes: absent members stay, null clears them. @throws GatewayError as `newIntegration` */
export async function changedIntegration(
  host: ControlHost,
  operation: Operation,
  record: IntegrationRecord,
  body: JsonObject,
): Promise<Values> {
  return {
    ...(body.key === undefined ? {} : { masked_key: body.key === null ? null : mask(String(body.key)) }),
    ...(await changedCredentials(host, operation, record, body)),
  };
}

async function changedCredentials(
  host: ControlHost,
  operation: Operation,
  record: IntegrationRecord,
  body: JsonObject,
): Promise<Values> {
  if (body.configurations === undefined && body.secret_mappings === undefined) return {};
  const provider = providerNamed(host, record.ai_provider_id, 'ai_provider_id');
  const before = { mappings: record.secret_mappings ?? [], configurations: record.clear_configurations ?? {} };
  const mappings =
    body.secret_mappings === undefined
      ? before.mappings
      : await checkedMappings(operation, provider, body.secret_mappings, await workspacesOf(operation, record));
  const secrets: IntegrationSecrets = await operation.records<IntegrationRecord>('integrations').secrets(record);
  const { clear, secret, masked } = await mergeConfigurations({
    host,
    provider,
    given: body.configurations === null ? null : (asObject(body.configurations) ?? {}),
    stored: { clear: before.configurations, secret: secrets.secret_configurations ?? {} },
    mapped: mappedFields(mappings),
  });
  demandCredentialsOfNewPlace({
    before: before.configurations,
    after: clear,
    stored: [
      ...(record.masked_key == null ? [] : ['key']),
      ...Object.keys(secrets.secret_configurations ?? {}).map((name) => `configurations.${name}`),
    ],
    given: [
      ...(body.key === undefined ? [] : ['key']),
      ...Object.keys(asObject(body.configurations) ?? {}).map((name) => `configurations.${name}`),
    ],
  });
  await demandLending(operation, record, before, { mappings, configurations: clear });
  return {
    clear_configurations: clear,
    secret_configurations: secret,
    masked_configurations: masked,
    secret_mappings: mappings,
  };
}

/** The workspaces that use the integration. */
async function workspacesOf(operation: Operation, record: IntegrationRecord): Promise<readonly string[]> {
  if (record.workspace_id !== null) return [record.workspace_id];
  const grants = await enabledGrants(operation, record.id);
  return grants.map(({ workspace_id }) => workspace_id);
}
