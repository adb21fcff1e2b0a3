import {
  budgetStandings,
  type ControlHost,
  enforcedBudget,
  guardrailDefaults,
  guardrailNames,
  type JsonObject,
  lastReset,
  nextReset,
  type Operation,
} from 'portcullis/sdk';
import { type KeyRecord, statusOf } from './record.ts';

/** Keys as the API shows them, in their order. Not inside a transaction: what they have used is read as well. */
export async function wireForms(
  operation: Operation,
  host: Pick<ControlHost, 'counters' | 'log'>,
  keys: readonly KeyRecord[],
): Promise<JsonObject[]> {
  const exhausted = await exhaustedAmong(operation, host, keys);
  const forms: JsonObject[] = [];
  for (const key of keys) forms.push(await wireOf(operation, key, exhausted.has(key.id)));
  return forms;
}

/** Ids of the keys whose budget of the running period is used up. */
async function exhaustedAmong(
  { scope, now }: Operation,
  host: Pick<ControlHost, 'counters' | 'log'>,
  keys: readonly KeyRecord[],
): Promise<ReadonlySet<string>> {
  const budgets = keys.flatMap((key) => {
    const [limits] = key.usage_limits;
    return limits === undefined ? [] : [{ owner: 'key' as const, id: key.id, limits: enforcedBudget(limits, key) }];
  });
  if (budgets.length === 0) return new Set();
  const standings = await budgetStandings(host, scope.organisationId, budgets, now);
  return new Set(budgets.filter((_, index) => standings[index]?.exhausted === true).map(({ id }) => id));
}

/** Every member is there, only `rotation_policy` and guardrails where they are set. */
async function wireOf(operation: Operation, key: KeyRecord, isExhausted: boolean): Promise<JsonObject> {
  const budget = key.usage_limits[0] ?? null;
  const enforced = budget === null ? undefined : enforcedBudget(budget, key);
  const status = statusOf(key, operation.now);
  return {
    id: key.id,
    key: key.key,
    name: key.name,
    description: key.description,
    type: key.type,
    organisation_id: key.organisation_id,
    workspace_id: key.workspace_id,
    user_id: key.user_id,
    status: status === 'active' && isExhausted ? 'exhausted' : status,
    created_at: operation.time(key.created_at),
    last_updated_at: operation.time(key.last_updated_at),
    creation_mode: key.creation_mode,
    rate_limits: key.rate_limits,
    usage_limits: budget,
    reset_usage: null,
    expires_at: operation.time(key.expires_at),
    last_reset_at: operation.time(lastReset(enforced, key, operation.now)),
    alert_emails: key.alert_emails,
    expiry_enforced: key.expiry_enforced,
    next_usage_reset_at: nextReset(enforced, operation.now),
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
