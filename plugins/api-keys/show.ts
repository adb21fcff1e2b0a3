import { guardrailDefaults, guardrailNames, type JsonObject, type Operation } from 'portcullis/sdk';
import { type KeyRecord, statusOf } from './record.ts';

/** A key as the API shows it: every member is there, only `rotation_policy` and guardrails where they are set. */
export async function wireOf(operation: Operation, key: KeyRecord): Promise<JsonObject> {
  const budget = key.usage_limits[0] ?? null;
  return {
    id: key.id,
    key: key.key,
    name: key.name,
    description: key.description,
    type: key.type,
    organisation_id: key.organisation_id,
    workspace_id: key.workspace_id,
    user_id: key.user_id,
    status: statusOf(key, operation.now),
    created_at: operation.time(key.created_at),
    last_updated_at: operation.time(key.last_updated_at),
    creation_mode: key.creation_mode,
    rate_limits: key.rate_limits,
    usage_limits: budget,
    reset_usage: null,
    expires_at: operation.time(key.expires_at),
    last_reset_at: operation.time(key.last_reset_at),
    alert_emails: key.alert_emails,
    expiry_enforced: key.expiry_enforced,
    next_usage_reset_at: budget?.next_usage_reset_at ?? null,
    allow_config_override: key.allow_config_override,
    api_key_defaults_id: null,
    scopes: key.scopes,
    defaults: {
      metadata: key.metadata,
      config_id: await configSlug(operation, key),
      allow_config_override: key.allow_config_override !== 0,
      ...(await guardrails(operation, key)),
    },
    ...(key.rotation === null || key.next_rotation_at === null
      ? {}
      : {
          rotation_policy: {
            ...key.rotation,
            next_rotation_at: new Date(key.next_rotation_at).toISOString(),
            status: 'ACTIVE',
          },
        }),
    object: 'api-key',
  };
}

/** Slugs, by the lists that hold any. */
async function guardrails(operation: Operation, key: KeyRecord): Promise<JsonObject> {
  const lists: Record<string, readonly string[]> = {};
  for (const list of guardrailDefaults) {
    const names = await guardrailNames(operation, key.organisation_id, key[list]);
    if (names.length > 0) lists[list] = names.map(({ slug }) => slug);
  }
  return lists;
}

/**
 * The slug that people know the config by. A config that is gone stays named by its id, and requests with the key are
 * refused: a key that was pinned to a config does not fall open.
 */
async function configSlug(operation: Operation, key: KeyRecord): Promise<string | null> {
  if (key.config_id === null) return null;
  const scope = { organisationId: key.organisation_id };
  return (await operation.records('configs').find(scope, key.config_id))?.slug ?? key.config_id;
}
