import {
  asObject,
  type ControlHost,
  checkMetadataSchema,
  guardrailDefaults,
  guardrailIds,
  type Json,
  type JsonObject,
  type Operation,
  type StoredRecord,
  settingsAfterSwitch,
  settingsFields,
  settingsSections,
  type Values,
} from 'portcullis/sdk';
import { readMetadata } from '../metadata.ts';
import { demandReachOfAdmins } from '../reach.ts';
import { refusal } from '../refusal.ts';
import { readSettings } from '../settings-body.ts';
import { readAuthSettings } from './auth-settings.ts';

/** Stores what the body changes, and hands opened and closed sections down to the workspaces. */
export async function updateOrganisation(
  operation: Operation,
  before: StoredRecord,
  host: ControlHost,
): Promise<StoredRecord> {
  const changes = await changesOf(operation, before, host);
  if (Object.keys(changes).length === 0) return before;
  const scope = { organisationId: before.id };
  const after = await operation.records('organisations').update(scope, before.id, changes);
  if (changes.overrides === undefined) return after;
  const workspaces = operation.records('workspaces');
  const { records } = await workspaces.list(scope, { archived: false });
  for (const workspace of records) {
    const own = settingsAfterSwitch(after, workspace, before);
    if (own !== undefined) await workspaces.update(scope, workspace.id, own);
  }
  return after;
}

async function changesOf(operation: Operation, before: StoredRecord, host: ControlHost): Promise<Values> {
  const { body } = operation;
  const changes: Record<string, unknown> = {};
  if (body.name !== undefined) changes.name = body.name;
  const settings = readSettings(body, 'organisation');
  for (const field of settingsFields) {
    if (settings[field] !== undefined) changes[field] = { ...asObject(before[field]), ...settings[field] };
  }
  checkLifetimes(asObject(changes.settings) ?? {});
  const session = asObject(body.session_settings);
  if (session?.max_session_ttl !== undefined)
    changes.session_settings = session.max_session_ttl === null ? {} : { max_session_ttl: session.max_session_ttl };
  const auth = asObject(body.auth_settings);
  if (auth !== undefined) {
    demandReachOfAdmins(operation.access, 'auth_settings');
    changes.auth_settings = await readAuthSettings(asObject(before.auth_settings) ?? {}, auth, host);
  }
  const schemas = asObject(body.metadata_schemas);
  if (schemas !== undefined) changes.metadata_schemas = readSchemas(asObject(before.metadata_schemas) ?? {}, schemas);
  const defaults = asObject(body.defaults);
  if (defaults !== undefined) changes.defaults = await readDefaults(operation, before, defaults);
  const overrides = asObject(body.overrides);
  if (overrides !== undefined) changes.overrides = readOverrides(asObject(before.overrides) ?? {}, overrides);
  return changes;
}

/** @throws GatewayError `bad_request` when keys would be given a longer life than they may have */
export function checkLifetimes({ user_api_key_ttl: ttl, user_api_key_max_ttl: most }: JsonObject): void {
  if (typeof ttl === 'number' && typeof most === 'number' && most > 0 && ttl > most)
    throw refusal('settings.user_api_key_ttl', `must not be above user_api_key_max_ttl, which is ${most}`);
}

function readSchemas(before: JsonObject, given: JsonObject): JsonObject {
  const after: Record<string, Json> = { ...before };
  for (const name of ['api_key', 'workspace'] as const) {
    const schema = given[name];
    if (schema === undefined) continue;
    if (schema === null) delete after[name];
    else {
      checkMetadataSchema(schema, `metadata_schemas.${name}`);
      after[name] = schema;
    }
  }
  return after;
}

/** The defaults after the changes: members that are not given stay as they are. */
export async function readDefaults(operation: Operation, before: StoredRecord, given: JsonObject): Promise<JsonObject> {
  const after: Record<string, Json> = { ...asObject(before.defaults) };
  if (given.metadata !== undefined) after.metadata = readMetadata(given.metadata, 'defaults.metadata');
  for (const name of guardrailDefaults) {
    if (given[name] !== undefined)
      after[name] = await guardrailIds(operation, given[name], { organisationId: before.id }, `defaults.${name}`);
  }
  if (given.config_id === null) delete after.config_id;
  else if (typeof given.config_id === 'string') {
    const scope = { organisationId: before.id };
    const config = await operation.records('configs').find(scope, given.config_id);
    if (config === undefined) throw refusal('defaults.config_id', `names no config: "${given.config_id}"`);
    after.config_id = config.slug ?? config.id;
  }
  return after;
}

function readOverrides(before: JsonObject, given: JsonObject): JsonObject {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(settingsSections, name));
  if (unknown !== undefined)
    throw refusal(`overrides.${unknown}`, `is no section; accepted are ${Object.keys(settingsSections).join(', ')}`);
  return { ...before, ...given };
}
