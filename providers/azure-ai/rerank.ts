import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type EndpointSpec,
  type Json,
  type JsonObject,
  omit,
  type ReplyFacts,
} from 'portcullis/sdk';
import { deploymentOf, placeOf } from './place.ts';

/** Models of Cohere: https://docs.cohere.com/reference/rerank, https://learn.microsoft.com/azure/ai-foundry/how-to/deploy-models-cohere-rerank */
export const rerank: EndpointSpec = { path, dialect: 'rerank', query: false, request, repair };

function path({ settings }: CallFacts): string {
  const { layout, base } = placeOf(settings);
  if (layout !== 'single') return '/providers/cohere/v2/rerank';
  return base?.endsWith('/v1') === true ? '/rerank' : '/v1/rerank';
}

// Version 2 takes texts alone and gives none back: `repair` adds those that the client wants.
const handledHere: ReadonlySet<string> = new Set(['return_documents']);

function request(body: JsonObject, facts: CallFacts): JsonObject {
  const documents = asArray(body.documents).map((document) => textOf(document) ?? document);
  return { ...omit(body, handledHere), documents, model: deploymentOf(facts) };
}

function repair(json: JsonObject, { asked, newId }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.results)) return json;
  const documents = asArray(asked.documents);
  return compact({
    id: asString(json.id) ?? newId('rerank-'),
    object: 'list',
    results: asObjects(json.results).map((result) => resultOf(result, documents, asked.return_documents === true)),
    model: asString(json.model) ?? asked.model,
    usage: usageOf(json),
  });
}

function resultOf(result: JsonObject, documents: readonly Json[], wanted: boolean): JsonObject {
  const text = textOf(documents[asNumber(result.index) ?? -1]);
  return compact({
    index: result.index,
    relevance_score: result.relevance_score,
    document: result.document ?? (wanted && text !== undefined ? { text } : undefined),
  });
}

function textOf(document: Json | undefined): string | undefined {
  return asString(document) ?? asString(asObject(document)?.text);
}

function usageOf({ usage, meta }: JsonObject): Json | undefined {
  const units = asNumber(asObject(asObject(meta)?.billed_units)?.search_units);
  return usage ?? (units === undefined ? undefined : { search_units: units });
}
