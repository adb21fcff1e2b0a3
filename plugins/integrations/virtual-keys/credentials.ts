import { asObject, asObjects, compact, type Json, type JsonObject, snakeName } from 'portcullis/sdk';

/** The members of a virtual key's body that are configurations of its integration, by their names there. */
const configurations: Readonly<Record<string, string>> = {
  resourceName: 'azure_resource_name',
  customHost: 'custom_host',
  customHeaders: 'custom_headers',
  workersAiAccountId: 'workers_ai_account_id',
  awsAuthType: 'aws_auth_type',
  awsRegion: 'aws_region',
  awsAccessKeyId: 'aws_access_key_id',
  awsSecretAccessKey: 'aws_secret_access_key',
  vertexAuthType: 'vertex_auth_type',
  vertexRegion: 'vertex_region',
  vertexProjectId: 'vertex_project_id',
  vertexServiceAccountJson: 'vertex_service_account_json',
};

export const configurationNames = Object.keys(configurations);
export const deploymentNames = ['apiVersion', 'deploymentName', 'deploymentConfig'] as const;

/** By their names in snake case: clients exist that write every member of a body so. */
const documented = new Map([...configurationNames, ...deploymentNames].map((name) => [snakeName(name), name]));

/** The fields under the names in snake case too. */
export function inSnakeCase<T>(fields: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    [...documented].flatMap(([snake, name]) => {
      const field = fields[name];
      return field === undefined ? [] : [[snake, field]];
    }),
  );
}

/** The integration's part of a virtual key's body; undefined: the body says nothing of credentials. */
export function credentialsIn(given: JsonObject, azure: boolean): JsonObject | undefined {
  const body = documentedNames(given);
  const config = { ...modelConfig(body.model_config), ...picked(body) };
  const deployments = deploymentsIn({ ...asObject(body.model_config), ...body });
  const all = {
    ...config,
    ...(deployments === undefined ? {} : { azure_deployment_config: deployments }),
  };
  const configured = Object.keys(all).length > 0;
  const credentials = compact({
    key: body.key,
    secret_mappings: body.secret_mappings,
    configurations: body.model_config === null ? null : configured ? withMode(all, azure) : undefined,
  });
  return Object.keys(credentials).length === 0 ? undefined : credentials;
}

function documentedNames(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([name, member]) => [documented.get(name) ?? name, member]),
  ) as JsonObject;
}

/** Virtual keys never named a mode: they came with a key. */
function withMode(config: JsonObject, azure: boolean): JsonObject {
  return azure && config.azure_deployment_config !== undefined && config.azure_auth_mode === undefined
    ? { azure_auth_mode: 'default', ...config }
    : config;
}

function picked(body: JsonObject): JsonObject {
  const found: Record<string, Json> = {};
  for (const [name, configuration] of Object.entries(configurations)) {
    const value = body[name];
    if (value !== undefined) found[configuration] = value;
  }
  return found;
}

const apart = new Set<string>(deploymentNames);

/** The same names in `model_config`, or the configurations' own in either spelling. */
function modelConfig(value: Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(asObject(value) ?? {})
      .filter(([name]) => !apart.has(name))
      .map(([name, member]) => [Object.hasOwn(configurations, name) ? configurations[name] : snakeName(name), member]),
  ) as JsonObject;
}

function deploymentsIn(body: JsonObject): Json | undefined {
  const { deploymentConfig: list, deploymentName: name, apiVersion: version } = body;
  if (Array.isArray(list)) return asObjects(list).map(deployment);
  if (name == null && version == null) return undefined;
  return [{ ...deployment({ deploymentName: name ?? null, apiVersion: version ?? null }), is_default: true }];
}

function deployment(entry: JsonObject): JsonObject {
  const alias = entry.alias ?? undefined;
  return compact({
    azure_deployment_name: entry.deploymentName,
    azure_api_version: entry.apiVersion,
    azure_model_slug: alias ?? entry.deploymentName,
    alias,
    is_default: entry.is_default,
  });
}
