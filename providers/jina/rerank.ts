import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type EndpointSpec,
  type JsonObject,
  type ReplyFacts,
} from 'portcullis/sdk';

/** Source: https://api.jina.ai/docs (reranker). Documents are repeated unless the request says no; replies have no id. */
export const rerank: EndpointSpec = {
  path: '/rerank',
  dialect: 'rerank',
  params: { drop: ['max_tokens_per_doc', 'parameters', 'priority', 'rank_fields'] },
  request: (body) => ({ ...body, return_documents: body.return_documents ?? false }),
  repair: answered,
};

function answered(json: JsonObject, { facts, newId }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.results)) return json;
  return {
    ...json,
    id: asString(json.id) ?? newId('rerank-'),
    object: 'list',
    model: asString(json.model) ?? facts.model,
    results: asObjects(json.results).map(({ document, ...rest }) => {
      const text = asString(document);
      const shown = text === undefined ? asObject(document) : { text };
      return {
        ...rest,
        relevance_score: asNumber(rest.relevance_score) ?? 0,
        ...(shown === undefined ? {} : { document: shown }),
      };
    }),
  };
}
