import { asObject, asString, GatewayError, parseJson, type TargetContext } from 'portcullis/sdk';
import { saidOnce } from '../upstream/said-once.ts';
import type { Exchange } from './exchange.ts';
import type { TargetProvider } from './target-provider.ts';

/**
 * The model that a target is asked for, as the provider will see it; '' where the request names none.
 * @throws GatewayError when a saved provider is limited to some models and this is none of them
 */
export function allowedModel(exchange: Exchange, provider: TargetProvider, { body }: TargetContext): string {
  const model = withoutSlug(asString(body.model) ?? '', provider);
  if (provider.models === undefined) return model;
  if (exchange.endpoint !== 'proxy') {
    if (model !== '') checkModel(provider, model);
    return model;
  }
  if (provider.entry !== undefined) checkProxied(exchange, provider);
  return model;
}

/** `@slug/model` chose the provider; the provider wants to see `model`. */
function withoutSlug(model: string, { unit, slug }: TargetProvider): string {
  const slash = model.startsWith('@') ? model.indexOf('/') : -1;
  if (slash === -1) return model;
  const named = model.slice(1, slash);
  const chosen = unit.definition.atNames !== true || named === slug || named === unit.name;
  return chosen ? model.slice(slash + 1) : model;
}

/** Where providers name a model in their paths. */
const modelInPath = /(?:^|\/)(?:models?|deployments)\/([^/:]+)/g;

/** Bytes pass the proxy untouched, so a limit to some models holds only for requests that show which they ask for. */
function checkProxied({ params, method, rawBody }: Exchange, provider: TargetProvider): void {
  const inPath = [...(params.path ?? '').matchAll(modelInPath)].map(([, model = '']) => decoded(model));
  const json = rawBody === undefined ? undefined : asObject(parseJson(Buffer.from(rawBody).toString('utf8')));
  // Of a name that stands twice, the provider may read the other model.
  const isClear = rawBody === undefined || json === undefined || saidOnce(rawBody, json);
  const inBody = isClear ? asString(json?.model) : undefined;
  const named = inBody === undefined ? inPath : [...inPath, inBody];
  for (const model of named) checkModel(provider, model);
  if ((isClear && named.length > 0) || method === 'GET' || method === 'HEAD' || method === 'DELETE') return;
  const text = `The provider "${provider.slug}" is limited to some models, and the proxied request does not show which it asks for.`;
  throw new GatewayError('bad_request', text, { param: 'model' });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const maxNamed = 20;

function checkModel({ models, slug }: TargetProvider, model: string): void {
  if (models === undefined || models.slugs.has(model) === models.alone) return;
  const why = models.alone ? `It serves: ${listed(models.slugs)}.` : 'The model is disabled there.';
  const text = `The provider "${slug}" does not serve the model "${model.slice(0, 100)}". ${why}`;
  throw new GatewayError('bad_request', text, { param: 'model' });
}

function listed(slugs: ReadonlySet<string>): string {
  const named = [...slugs].slice(0, maxNamed).join(', ');
  const more = slugs.size > maxNamed ? ` and ${slugs.size - maxNamed} more` : '';
  return `${named || 'none'}${more}`;
}
