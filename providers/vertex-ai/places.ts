import {
  asObject,
  asString,
  type CallFacts,
  GatewayError,
  type JsonObject,
  parseJson,
  type Settings,
} from 'portcullis/sdk';

/** The multi-regions: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations */
const multiRegions = new Set(['us', 'eu']);

/**
 * API keys of the express mode, as opposed to access tokens. They name their project themselves:
 * https://cloud.google.com/vertex-ai/generative-ai/docs/start/express-mode/vertex-ai-express-mode-api-reference
 */
export const isApiKey = ({ apiKey, vertexServiceAccountJson }: Settings) =>
  vertexServiceAccountJson === undefined && typeof apiKey === 'string' && /^(AIza|AQ\.)/.test(apiKey);

/** Undefined: `global`, where express keys are served too. */
export function regionOf(settings: Settings): string | undefined {
  const region = String(settings.vertexRegion);
  return region === 'global' || isApiKey(settings) ? undefined : region;
}

/** Without a version: some methods are in `v1`, some in `v1beta1`. */
export function origin(settings: Settings): string {
  const region = regionOf(settings);
  if (region === undefined) return 'https://aiplatform.googleapis.com';
  return multiRegions.has(region)
    ? `https://aiplatform.${region}.rep.googleapis.com`
    : `https://${region}-aiplatform.googleapis.com`;
}

/** The key file of the service account. @throws GatewayError `bad_request` when it is no JSON object */
export function keyFileOf({ vertexServiceAccountJson: given }: Settings): JsonObject | undefined {
  if (given === undefined) return undefined;
  const file = asObject(typeof given === 'string' ? parseJson(given) : given);
  if (file !== undefined) return file;
  throw new GatewayError('bad_request', 'vertex_service_account_json is not a JSON object.', {
    param: 'vertex_service_account_json',
  });
}

const projectId = /^[a-z0-9][a-z0-9.:-]{3,80}$/;

/** @throws GatewayError `missing_credentials` when neither the settings nor the key file name it */
export function projectOf(settings: Settings): string {
  const project = asString(settings.vertexProjectId) ?? asString(keyFileOf(settings)?.project_id);
  if (project !== undefined && projectId.test(project)) return project;
  throw new GatewayError('missing_credentials', 'The provider vertex-ai needs vertex_project_id.', {
    param: 'vertex_project_id',
  });
}

/** `projects/p/locations/r`; express keys have neither. */
export const parentOf = (settings: Settings) =>
  `projects/${projectOf(settings)}/locations/${String(settings.vertexRegion)}`;

/** A path of the project in its region: `/v1/projects/p/locations/r/batchPredictionJobs`. */
export function inProject(path: string, version = 'v1') {
  return ({ settings }: Pick<CallFacts, 'settings'>) => `/${version}/${parentOf(settings)}${path}`;
}

/** A path of a publisher's model; `model` is encoded here. */
export function ofPublisher(settings: Settings, publisher: string, model: string, method: string): string {
  const name = `publishers/${publisher}/models/${segment(model)}:${method}`;
  return isApiKey(settings) ? `/v1/${name}` : `/v1/${parentOf(settings)}/${name}`;
}

/** A name as one segment of a path; the `@` of versions stays as it is. */
export function segment(name: string): string {
  if (name !== '' && !/^\.+$/.test(name)) return encodeURIComponent(name.toWellFormed()).replaceAll('%40', '@');
  throw new GatewayError('bad_request', 'The request needs model.', { param: 'model' });
}
