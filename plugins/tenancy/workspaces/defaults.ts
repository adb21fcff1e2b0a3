import {
  asObject,
  GatewayError,
  guardrailDefaults,
  guardrailIds,
  guardrailNames,
  type Json,
  type JsonObject,
  type Operation,
  type Reaction,
  type StoredRecord,
} from 'portcullis/sdk';
import { workspaceMetadata } from '../metadata.ts';
import { refusal } from '../refusal.ts';

const configNames = ['user_api_key_config', 'config_id'] as const;

/**
 * The defaults of a workspace after the changes: what is not given stays, null clears, configs and guardrails are kept by
 * their ids.
 * @param workspace undefined while it is being made: then there is nothing in it yet
 */
export async function readDefaults(
  operation: Operation,
  organisation: StoredRecord,
  workspace: StoredRecord | undefined,
  given: JsonObject,
): Promise<JsonObject> {
  const after: Record<string, Json> = { ...asObject(workspace?.defaults) };
  if (given.metadata !== undefined || workspace === undefined)
    after.metadata = workspaceMetadata(organisation, given.metadata);
  const place = { organisationId: operation.scope.organisationId, workspaceId: workspace?.id ?? '' };
  for (const name of guardrailDefaults) {
    if (given[name] !== undefined) after[name] = await guardrailIds(operation, given[name], place, `defaults.${name}`);
  }
  for (const name of configNames) {
    const config = given[name];
    if (config === null) delete after[name];
    else if (config !== undefined) after[name] = await configId(operation, workspace, String(config), name);
  }
  return after;
}

async function configId(
  operation: Operation,
  workspace: StoredRecord | undefined,
  idOrSlug: string,
  name: string,
): Promise<string> {
  const scope = { organisationId: operation.scope.organisationId, workspaceId: workspace?.id ?? '' };
  const config = workspace === undefined ? undefined : await operation.records('configs').find(scope, idOrSlug);
  if (config !== undefined && config.status !== 'archived') return config.id;
  const why = workspace === undefined ? ', for a new workspace has none yet' : '';
  throw refusal(`defaults.${name}`, `names no config of the workspace: "${idOrSlug.slice(0, 100)}"${why}`);
}

/** As the API shows them: configs and guardrails by their slugs. */
export async function showDefaults(operation: Operation, workspace: StoredRecord): Promise<JsonObject> {
  const defaults = asObject(workspace.defaults) ?? {};
  const slugs: Record<string, string | null> = {};
  for (const name of configNames) {
    const id = defaults[name];
    if (typeof id !== 'string') {
      slugs[name] = null;
      continue;
    }
    const scope = { organisationId: workspace.organisation_id, workspaceId: workspace.id };
    const config = await operation.records('configs').find(scope, id);
    slugs[name] = config?.slug ?? null;
  }
  const slugsIn = async (name: (typeof guardrailDefaults)[number]) =>
    (await guardrailNames(operation, workspace.organisation_id, defaults[name])).map(({ slug }) => slug);
  return {
    metadata: defaults.metadata ?? {},
    input_guardrails: await slugsIn('input_guardrails'),
    output_guardrails: await slugsIn('output_guardrails'),
    ...slugs,
    is_default: Number(workspace.is_default ?? 0),
    object: 'workspace',
  };
}

/** A config that new keys of a workspace start with may not go, unless the workspace goes with it. */
export const keepDefaultConfigs: Reaction = async (operation, config) => {
  if (config.workspace_id === null) return;
  const scope = { organisationId: config.organisation_id };
  const workspace = await operation.records('workspaces').find(scope, config.workspace_id);
  const defaults = asObject(workspace?.defaults) ?? {};
  const name = configNames.find((one) => defaults[one] === config.id);
  if (workspace === undefined || workspace.status === 'archived' || name === undefined) return;
  throw new GatewayError(
    'conflict',
    `The config is defaults.${name} of the workspace ${workspace.slug}: clear that first.`,
    { param: `defaults.${name}` },
  );
};
