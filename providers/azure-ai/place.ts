import { asString, type CallFacts, GatewayError, pathSegment, type Settings } from 'portcullis/sdk';

/**
 * How an endpoint is laid out: `v1` the API of resources without versions, `models` the inference API, `deployments` dated
 * versions with the deployment in the path, `single` an endpoint of one model, whose paths follow its URL.
 * https://learn.microsoft.com/azure/ai-foundry/foundry-models/concepts/endpoints
 */
export interface Place {
  readonly layout: 'v1' | 'models' | 'deployments' | 'single';
  /** Undefined: nothing names one, and a custom host takes its place. */
  readonly base: string | undefined;
  /** The query `?api-version=...`, or ''. */
  readonly query: string;
  /** The deployment that the URL itself names. */
  readonly deployment: string | undefined;
}

const inferenceVersion = '2024-05-01-preview';
const deploymentsVersion = '2024-10-21';

const resourceHost = /^https:\/\/[^/]+\.(?:services\.ai|openai|cognitiveservices)\.azure\.com(?=\/|$)/i;
const tail =
  /\/(?:models|openai\/deployments\/([^/]+)|openai(?:\/v1)?|anthropic(?:\/v1)?|providers\/cohere(?:\/v2)?)$/i;
const unversioned: ReadonlySet<string> = new Set(['v1', 'preview', 'latest']);

export function placeOf(settings: Settings): Place {
  const url = urlOf(settings);
  const version = asString(settings.azureApiVersion);
  if (url === undefined || !resourceHost.test(url)) return single(url, version);
  const [ending = '', deployment] = tail.exec(url) ?? [];
  const base = url.slice(0, url.length - ending.length);
  const common = { base, deployment };
  const models = ending.toLowerCase() === '/models' || (ending === '' && /\.services\.ai\./i.test(url));
  if (version !== undefined && unversioned.has(version)) return { ...common, layout: 'v1', query: queryOf(version) };
  if (deployment !== undefined)
    return { ...common, layout: 'deployments', query: queryOf(version ?? deploymentsVersion) };
  if (version !== undefined) return { ...common, layout: models ? 'models' : 'deployments', query: queryOf(version) };
  return ending.toLowerCase() === '/models'
    ? { ...common, layout: 'models', query: queryOf(inferenceVersion) }
    : { ...common, layout: 'v1', query: '' };
}

/** Endpoints whose URL ends in `/v1` follow the published format, which has no versions. */
function single(url: string | undefined, version: string | undefined): Place {
  const dated = url === undefined || /\/v1$/.test(url) || isAnthropicUrl(url) ? version : (version ?? inferenceVersion);
  return { layout: 'single', base: url, query: dated === undefined ? '' : queryOf(dated), deployment: undefined };
}

function queryOf(version: string): string {
  return version === 'v1' ? '' : `?api-version=${version}`;
}

function urlOf(settings: Settings): string | undefined {
  const name = asString(settings.azureEndpointName);
  const url =
    asString(settings.azureFoundryUrl) ?? (name === undefined ? undefined : `https://${name}.services.ai.azure.com`);
  return url?.replace(/\/+$/, '');
}

export function baseOf(settings: Settings): string {
  const { base } = placeOf(settings);
  if (base !== undefined) return base;
  throw new GatewayError('missing_credentials', 'The provider azure-ai needs azure_foundry_url.', {
    param: 'azure_foundry_url',
  });
}

/** Keys of resources have a header of their own; those of single endpoints are bearer tokens. */
export function isResource(settings: Settings): boolean {
  return placeOf(settings).layout !== 'single';
}

/** Whether containers of the endpoint's owner answer: https://learn.microsoft.com/azure/machine-learning/concept-endpoints-online */
export function runsForeignCode(settings: Settings): boolean {
  return /^https:\/\/[^/]+\.inference\.ml\.azure\.com(?=\/|$)/i.test(urlOf(settings) ?? '');
}

/** Whether the URL stands for the messages format, whatever the model is called. */
export function speaksMessages(settings: Settings): boolean {
  return isAnthropicUrl(urlOf(settings) ?? '');
}

function isAnthropicUrl(url: string): boolean {
  return /[./-]anthropic(?:[./-]|$)/i.test(url);
}

/** The name under which a resource knows the model. */
export function deploymentOf({ settings, model }: Pick<CallFacts, 'settings' | 'model'>): string {
  return asString(settings.azureDeploymentName) ?? placeOf(settings).deployment ?? model;
}

/** A call of a model. */
export function deployed(path: string, facts: CallFacts): string {
  const { layout, query } = placeOf(facts.settings);
  const inModels = path === '/chat/completions' || path === '/embeddings';
  if (layout === 'models' && inModels) return `/models${path}${query}`;
  if (layout === 'deployments')
    return `/openai/deployments/${pathSegment(deploymentOf(facts), 'model')}${path}${query}`;
  return resource(path, facts);
}

/** What belongs to the resource: it is not part of the inference API, whose resources have it in the API without versions. */
export function resource(path: string, { settings }: CallFacts): string {
  const { layout, query } = placeOf(settings);
  switch (layout) {
    case 'models':
      return `/openai/v1${path}`;
    case 'v1':
      return `/openai/v1${path}${query}`;
    case 'deployments':
      return `/openai${path}${query}`;
    case 'single':
      return `${path}${query}`;
  }
}
