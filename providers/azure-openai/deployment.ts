import { asObjects, asString, type CallFacts, GatewayError, type JsonObject, type StreamUsage } from 'portcullis/sdk';

/** Where a model is deployed: by its alias, else by the default deployment, else under its own name. */
function deploymentOf({ settings, model }: CallFacts): { readonly id: string; readonly version: string } {
  const listed = asObjects(settings.deployments);
  const named = listed.find(({ alias }) => alias === model);
  const chosen =
    named ?? (settings.azureDeploymentId === undefined ? listed.find((entry) => entry.is_default === true) : undefined);
  const id = asString(chosen?.deployment_id) ?? asString(settings.azureDeploymentId) ?? model;
  return { id, version: asString(chosen?.api_version) ?? String(settings.azureApiVersion) };
}

const isV1 = (version: string) => version === 'v1' || version === 'preview' || version === 'latest';

/**
 * A path of the inference API. Dated versions name the deployment in the path; version 1 names it in the body, and takes a
 * query only to ask for previews: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
export function deployed(path: string) {
  return (facts: CallFacts) => {
    const { id, version } = deploymentOf(facts);
    if (isV1(version)) return versioned(path, version);
    if (id === '')
      throw new GatewayError('bad_request', 'The request needs model, or the config azure_deployment_id.', {
        param: 'model',
      });
    return versioned(`/deployments/${segmentOf(id, 'model')}${path}`, version);
  };
}

/** A path that names no deployment in any version: responses and models. */
export function resource(path: string) {
  return (facts: CallFacts) => {
    const id = facts.params.id;
    return versioned(
      id === undefined ? path : path.replace('{id}', () => segmentOf(id, 'id')),
      deploymentOf(facts).version,
    );
  };
}

function versioned(path: string, version: string): string {
  if (version === 'v1') return `/v1${path}`;
  return isV1(version) ? `/v1${path}?api-version=${version}` : `${path}?api-version=${version}`;
}

function segmentOf(value: string, param: string): string {
  // Encoding leaves dots alone, and servers take a segment of them for a step up.
  if (/^\.+$/.test(value)) throw new GatewayError('bad_request', `${param} may not be "${value}".`, { param });
  return encodeURIComponent(value.toWellFormed());
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
