import {
  asObjects,
  asString,
  type CallFacts,
  type JsonObject,
  pathSegment,
  type StreamUsage,
  withCurrentFields,
} from 'portcullis/sdk';

interface Deployment {
  readonly id: string;
  readonly version: string;
  /** The model that is deployed, as far as it is known. */
  readonly model: string;
}

/** Where a model is deployed: by its alias, else by the default deployment, else under its own name. */
export function deploymentOf({ settings, model }: Pick<CallFacts, 'settings' | 'model'>): Deployment {
  const listed = asObjects(settings.deployments);
  const named = listed.find(({ alias }) => alias === model);
  const chosen =
    named ?? (settings.azureDeploymentId === undefined ? listed.find((entry) => entry.is_default === true) : undefined);
  return {
    id: asString(chosen?.deployment_id) ?? asString(settings.azureDeploymentId) ?? model,
    version: asString(chosen?.api_version) ?? String(settings.azureApiVersion),
    model: asString(chosen?.model) ?? asString(settings.azureModelName) ?? model,
  };
}

const isV1 = (version: string) => version === 'v1' || version === 'preview' || version === 'latest';

/**
 * A path of the inference API. Dated versions name the deployment in the path; version 1 names it in the body, and takes a
 * query only to ask for previews: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
export function deployed(path: string, facts: CallFacts): string {
  const { id, version } = deploymentOf(facts);
  return versioned(isV1(version) ? path : `/deployments/${pathSegment(id, 'model')}${path}`, version);
}

/** A path that names no deployment in any version: responses, files, batches, fine-tuning, models. */
export function resource(path: string, facts: CallFacts): string {
  return versioned(path, deploymentOf(facts).version);
}

/**
 * Sessions: version 1 names the deployment as `model`, dated versions as `deployment`, both in the query.
 * https://learn.microsoft.com/azure/ai-foundry/openai/how-to/realtime-audio-websockets
 */
export function realtime(facts: CallFacts): string {
  const { model: asked, deployment, ...rest } = facts.query;
  const { id, version } = deploymentOf({ ...facts, model: asked ?? deployment ?? facts.model });
  const query = new URLSearchParams({
    ...rest,
    ...(id === '' ? {} : { [isV1(version) ? 'model' : 'deployment']: id }),
  });
  const path = versioned('/realtime', version);
  return query.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function versioned(path: string, version: string): string {
  if (version === 'v1') return `/v1${path}`;
  return isV1(version) ? `/v1${path}?api-version=${version}` : `${path}?api-version=${version}`;
}

/** The first dated version that takes `stream_options`. */
const firstAsked = '2024-09-01';

/** Older versions refuse `stream_options`, as do answers from data of one's own: https://github.com/Azure/azure-sdk-for-js/issues/30751 */
export function streamUsage(body: JsonObject, facts: CallFacts): StreamUsage {
  const { version } = deploymentOf(facts);
  return body.data_sources === undefined && (isV1(version) || version >= firstAsked) ? 'asked' : 'never';
}

/** The body with the deployment as its model; the very same body when it says so already. */
export function withDeployment(body: JsonObject, facts: CallFacts): JsonObject {
  const { id } = deploymentOf(facts);
  return id === '' || id === body.model ? body : { ...body, model: id };
}

/** As `withDeployment`, without what the deployed model refuses. */
export function chatRequest(body: JsonObject, facts: CallFacts): JsonObject {
  return withDeployment(withCurrentFields(body, deploymentOf(facts).model), facts);
}
