import {
  asString,
  azureAuth,
  azureEndpoints,
  type CallFacts,
  type JsonObject,
  omit,
  provider,
  reasonsByDefault,
  withCurrentFields,
} from 'portcullis/sdk';
import { claude, claudeHeaders, isClaude } from './claude.ts';
import {
  baseOf,
  deployed,
  deploymentOf,
  isResource,
  placeOf,
  resource,
  runsForeignCode,
  speaksMessages,
} from './place.ts';
import { rerank } from './rerank.ts';
import { settings } from './settings.ts';

const calls: ReadonlySet<string> = new Set(['chatComplete', 'complete', 'embed', 'imageGenerate', 'imageEdit']);

/** https://learn.microsoft.com/azure/ai-foundry/foundry-models/concepts/endpoints */
export default provider({
  settings,
  base: baseOf,
  auth: (given) =>
    azureAuth(given, {
      provider: 'azure-ai',
      runsForeignCode: runsForeignCode(given),
      key: speaksMessages(given)
        ? { kind: 'header', name: 'x-api-key', from: 'apiKey' }
        : isResource(given)
          ? { kind: 'header', name: 'api-key', from: 'apiKey' }
          : { kind: 'bearer', from: 'apiKey' },
    }),
  headers: (facts) => (isClaude(facts.model, facts.settings) ? claudeHeaders(facts) : inferenceHeaders(facts)),
  endpoints: {
    ...azureEndpoints({ deployed, resource, realtime, request: named }),
    chatComplete: { path: (facts) => deployed('/chat/completions', facts), dialect: 'chat', request: chatRequest },
    complete: { path: (facts) => deployed('/completions', facts), dialect: 'completions', request: named },
    rerank,
  },
  families: [claude],
});

/** https://learn.microsoft.com/rest/api/aifoundry/modelinference */
function inferenceHeaders({ settings, endpoint }: CallFacts): Readonly<Record<string, string | undefined>> {
  const single = placeOf(settings).layout === 'single';
  return {
    'extra-parameters': calls.has(endpoint) ? asString(settings.azureExtraParams) : undefined,
    'azureml-model-deployment': single ? asString(settings.azureDeploymentName) : undefined,
  };
}

/** Single endpoints know their model; resources know it by the name of its deployment. */
function named(body: JsonObject, facts: CallFacts): JsonObject {
  const model = isResource(facts.settings) ? deploymentOf(facts) : '';
  return model === '' || model === body.model ? body : { ...body, model };
}

const currentLimit: ReadonlySet<string> = new Set(['max_completion_tokens']);

/** The inference API knows `max_tokens` alone, and would drop the limit under its other name. */
function chatRequest(body: JsonObject, facts: CallFacts): JsonObject {
  const { layout } = placeOf(facts.settings);
  const published = layout === 'v1' || layout === 'deployments' || reasonsByDefault(facts.model);
  if (published) return named(withCurrentFields(body, facts.model), facts);
  const { max_completion_tokens } = body;
  if (max_completion_tokens === undefined) return named(body, facts);
  return named({ max_tokens: max_completion_tokens, ...omit(body, currentLimit) }, facts);
}

function realtime(facts: CallFacts): string {
  const { model, deployment, ...rest } = facts.query;
  const { layout } = placeOf(facts.settings);
  const id = deploymentOf({ ...facts, model: model ?? deployment ?? facts.model });
  const query = new URLSearchParams({
    ...rest,
    ...(id === '' ? {} : { [layout === 'deployments' ? 'deployment' : 'model']: id }),
  });
  const path = resource('/realtime', facts);
  return query.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
