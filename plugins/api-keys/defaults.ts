import {
  applyMetadataSchema,
  asObject,
  asString,
  GatewayError,
  guardrailDefaults,
  guardrailIds,
  type Json,
  type JsonObject,
  type Operation,
  type StoredRecord,
} from 'portcullis/sdk';
import type { Place } from './place.ts';

/**
 * What the body's `defaults` and `allow_config_override` change. A new key always gets metadata that the organisation's
 * schema accepts.
 */
export async function defaultsFrom(
  operation: Operation,
  body: JsonObject,
  place: Place,
  creating: boolean,
): Promise<JsonObject> {
  const given = body.defaults === null ? cleared : (asObject(body.defaults) ?? {});
  const override = body.allow_config_override === undefined ? given.allow_config_override : body.allow_config_override;
  const metadata = given.metadata === undefined && creating ? null : given.metadata;
  return {
    ...(given.config_id === undefined ? {} : { config_id: await configIdOf(operation, given.config_id, place) }),
    ...(override === undefined ? {} : { allow_config_override: override === null ? null : Number(override) }),
    ...(metadata === undefined ? {} : { metadata: metadataOf(metadata, place.organisation) }),
    ...(await guardrailsFrom(operation, given, place)),
  };
}

const cleared: JsonObject = {
  config_id: null,
  metadata: null,
  allow_config_override: null,
  input_guardrails: null,
  output_guardrails: null,
};

async function guardrailsFrom(operation: Operation, given: JsonObject, place: Place): Promise<JsonObject> {
  const scope = {
    organisationId: place.organisation.id,
    ...(place.workspace === undefined ? {} : { workspaceId: place.workspace.id }),
  };
  const lists: Record<string, readonly string[]> = {};
  for (const name of guardrailDefaults) {
    if (given[name] !== undefined) lists[name] = await guardrailIds(operation, given[name], scope, `defaults.${name}`);
  }
  return lists;
}

async function configIdOf(operation: Operation, given: Json, { workspace }: Place): Promise<string | null> {
  const named = asString(given);
  if (named === undefined || named === '') return null;
  const refuse = (message: string): never => {
    throw new GatewayError('bad_request', message, { param: 'defaults.config_id' });
  };
  if (workspace === undefined) return refuse('A key of the organisation has no config: configs belong to workspaces.');
  const scope = { organisationId: workspace.organisation_id, workspaceId: workspace.id };
  const config = await operation.records('configs').find(scope, named);
  if (config !== undefined && config.status !== 'archived') return config.id;
  return refuse(`The workspace has no config with the id or slug "${named.slice(0, 100)}".`);
}

function metadataOf(given: Json, organisation: StoredRecord): JsonObject | null {
  const schema = asObject(asObject(organisation.metadata_schemas)?.api_key);
  const metadata = asObject(given) as Record<string, string> | undefined;
  if (schema === undefined) return metadata ?? null;
  const filled = applyMetadataSchema(schema, metadata ?? {}, 'defaults.metadata');
  return metadata === undefined && Object.keys(filled).length === 0 ? null : filled;
}
