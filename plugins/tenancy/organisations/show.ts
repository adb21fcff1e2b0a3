import {
  asObject,
  asObjects,
  guardrailNames,
  type JsonObject,
  type Operation,
  type StoredRecord,
  settingsInForce,
  settingsSections,
} from 'portcullis/sdk';
import { verificationRecord } from './domains.ts';

/** The organisation as its administrators see it. */
export async function showOrganisation(operation: Operation, record: StoredRecord): Promise<JsonObject> {
  const inForce = settingsInForce(record);
  const overrides = asObject(record.overrides) ?? {};
  return {
    id: record.id,
    slug: record.slug,
    name: String(record.name),
    status: record.status,
    ...inForce,
    block_inline_config: inForce.data_plane_security_settings.block_inline_config ?? false,
    session_settings: { max_session_ttl: asObject(record.session_settings)?.max_session_ttl ?? null },
    auth_settings: showAuthSettings(asObject(record.auth_settings) ?? {}),
    metadata_schemas: { api_key: null, workspace: null, ...asObject(record.metadata_schemas) },
    defaults: await showDefaults(operation, record),
    overrides: Object.fromEntries(Object.keys(settingsSections).map((name) => [name, overrides[name] === true])),
    default_workspace_id: (record.default_workspace_id ?? null) as string | null,
    created_at: operation.time(record.created_at),
    last_updated_at: operation.time(record.last_updated_at),
    object: 'organisation',
  };
}

export async function showDefaults(operation: Operation, record: StoredRecord): Promise<JsonObject> {
  const defaults = asObject(record.defaults) ?? {};
  return {
    metadata: {},
    config_id: null,
    ...defaults,
    input_guardrails: await guardrailNames(operation, record.id, defaults.input_guardrails),
    output_guardrails: await guardrailNames(operation, record.id, defaults.output_guardrails),
  };
}

function showAuthSettings({ jwks_url, jwks, domains }: JsonObject): JsonObject {
  return {
    jwks_url: jwks_url ?? null,
    jwks: jwks ?? null,
    domains: asObjects(domains).map((entry) => ({
      domain: entry.domain ?? null,
      verified: entry.verified === true,
      allow_subdomains: entry.allow_subdomains === true,
      ...(entry.verified === true ? {} : { verification: verificationRecord(entry) }),
    })),
  };
}
