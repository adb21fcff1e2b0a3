import {
  asArray,
  asObject,
  asObjects,
  asString,
  type EndpointSpec,
  type JsonObject,
  type ReplyFacts,
} from 'portcullis/sdk';

/** Source: https://docs.voyageai.com/reference/reranker-api. Documents are texts; the results stand in `data`. */
export const rerank: EndpointSpec = {
  path: '/rerank',
  dialect: 'rerank',
  params: { rename: { top_n: 'top_k' }, drop: ['max_tokens_per_doc', 'parameters', 'priority', 'rank_fields'] },
  request: (body) => ({
    ...body,
    documents: asArray(body.documents).map((document) => asString(asObject(document)?.text) ?? document),
  }),
  repair: answered,
};

function answered(json: JsonObject, { facts, newId }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.data)) return json;
  const { data, ...rest } = json;
  return {
    ...rest,
    id: newId('rerank-'),
    object: 'list',
    model: asString(json.model) ?? facts.model,
    results: asObjects(data).map(({ document, ...result }) => {
      const text = asString(document);
      return text === undefined ? result : { ...result, document: { text } };
    }),
  };
}
