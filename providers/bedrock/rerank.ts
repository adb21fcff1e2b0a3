import {
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type EndpointSpec,
  type Json,
  type JsonObject,
  omit,
  type ReplyFacts,
} from 'portcullis/sdk';
import { named } from './errors.ts';
import { askedModel, familyOf, ofModel } from './names.ts';

const unsent = new Set(['model', 'return_documents', 'user']);

/** Documents are texts or objects with `text`; both models take texts. */
function request(body: JsonObject, facts: Parameters<typeof askedModel>[0]): JsonObject {
  const documents = Array.isArray(body.documents) ? (body.documents as readonly Json[]).map(textOf) : body.documents;
  const api_version = familyOf(askedModel(facts)) === 'cohere' ? 2 : undefined;
  return compact({ api_version, ...omit(body, unsent), documents });
}

function textOf(document: Json): Json {
  return asString(asObject(document)?.text) ?? (typeof document === 'object' ? JSON.stringify(document) : document);
}

function repair(json: JsonObject, reply: ReplyFacts): JsonObject {
  if (!Array.isArray(json.results)) return named(json, reply);
  const { asked, headers, facts } = reply;
  const documents = Array.isArray(asked.documents) ? (asked.documents as readonly Json[]) : [];
  const results = asObjects(json.results).map((result) => {
    const index = asNumber(result.index) ?? 0;
    const text = asked.return_documents === true ? documents[index] : undefined;
    return compact({
      index,
      relevance_score: asNumber(result.relevance_score) ?? asNumber(result.relevanceScore) ?? 0,
      document: text === undefined ? undefined : { text: textOf(text) },
    });
  });
  const tokens = asNumber(Number(headers['x-amzn-bedrock-input-token-count']));
  // One unit is a query with up to 100 documents: https://aws.amazon.com/bedrock/pricing
  const usage = compact({ search_units: Math.max(1, Math.ceil(documents.length / 100)), total_tokens: tokens });
  return { id: asString(json.id) ?? reply.newId('rerank-'), object: 'list', results, model: facts.model, usage };
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-rerank.html: models of Amazon and Cohere alike. */
export const rerank: EndpointSpec = { path: ofModel('invoke'), dialect: 'rerank', request, repair };
