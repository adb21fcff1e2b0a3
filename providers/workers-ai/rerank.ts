import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  type EndpointSpec,
  type Json,
  type JsonObject,
  type ReplyFacts,
} from 'portcullis/sdk';
import { wholeName } from './models.ts';
import { inputOf, resultOf, runPath } from './run.ts';

/** Source: https://developers.cloudflare.com/workers-ai/models/bge-reranker-base. */
export const rerank: EndpointSpec = {
  path: runPath,
  dialect: 'rerank',
  params: {
    rename: { top_n: 'top_k' },
    drop: ['max_tokens_per_doc', 'parameters', 'priority', 'rank_fields', 'truncation'],
  },
  request: (body) => ({
    ...inputOf(body, ['documents', 'return_documents']),
    contexts: asArray(body.documents).map((document) => ({ text: textOf(document) })),
  }),
  repair: answered,
};

function answered(json: JsonObject, { facts, asked, newId }: ReplyFacts): JsonObject {
  const result = resultOf(json);
  if (!Array.isArray(result.response)) return result;
  const documents = asArray(asked.documents);
  const results = asObjects(result.response).map(({ id, score }) => {
    const index = asNumber(id) ?? 0;
    const ranked = { index, relevance_score: asNumber(score) ?? 0 };
    return asked.return_documents === true ? { ...ranked, document: { text: textOf(documents[index]) } } : ranked;
  });
  return { id: newId('rerank-'), object: 'list', results, model: wholeName(facts.model) };
}

function textOf(document: Json | undefined): string {
  return asString(document) ?? asString(asObject(document)?.text) ?? JSON.stringify(document ?? '');
}
