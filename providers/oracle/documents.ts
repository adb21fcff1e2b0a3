import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type EndpointSpec,
  type JsonObject,
  type ReplyFacts,
} from 'portcullis/sdk';
import { plainFields, snakeKeys, upper } from './chat/fields.ts';
import { placeOf } from './settings.ts';

const embedNames = new Map([['dimensions', 'outputDimensions']]);

/** Source: https://docs.oracle.com/iaas/api/#/en/generative-ai-inference/latest/EmbedTextResult/EmbedText. */
export const embed: EndpointSpec = {
  path: '/actions/embedText',
  dialect: 'embeddings',
  params: { drop: ['encoding_format', 'user'] },
  request: ({ input, input_type: type, truncate, ...rest }, facts) =>
    compact({
      ...placeOf(facts),
      ...plainFields(rest, embedNames),
      inputs: typeof input === 'string' ? [input] : input,
      inputType: upper(type),
      truncate: upper(truncate),
    }),
  repair: vectorsIn,
};

function vectorsIn(json: JsonObject, { facts }: ReplyFacts): JsonObject {
  const byType = asObject(json.embeddingsByType);
  const vectors = Array.isArray(json.embeddings) ? json.embeddings : Object.values(byType ?? {})[0];
  if (!Array.isArray(vectors)) return json;
  const usage = asObject(snakeKeys(json.usage));
  return compact({
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: asString(json.modelId) ?? facts.model,
    usage,
  });
}

const rerankNames = new Map([
  ['query', 'input'],
  ['top_n', 'topN'],
  ['max_tokens_per_doc', 'maxTokensPerDocument'],
  ['max_chunks_per_doc', 'maxChunksPerDocument'],
  ['return_documents', 'isEcho'],
]);

/** Source: https://docs.oracle.com/iaas/api/#/en/generative-ai-inference/latest/RerankTextResult/RerankText. */
export const rerank: EndpointSpec = {
  path: '/actions/rerankText',
  dialect: 'rerank',
  params: { drop: ['parameters', 'priority', 'rank_fields', 'truncation'] },
  request: ({ documents, ...rest }, facts) => ({
    ...placeOf(facts),
    ...plainFields(rest, rerankNames),
    documents: asArray(documents).map((document) => asString(asObject(document)?.text) ?? document),
  }),
  repair: ranked,
};

function ranked(json: JsonObject, { facts, newId }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.documentRanks)) return json;
  const results = asObjects(json.documentRanks).map(({ index, relevanceScore, document }) =>
    compact({
      index: asNumber(index) ?? 0,
      relevance_score: asNumber(relevanceScore) ?? 0,
      document: asObject(document),
    }),
  );
  const model = asString(json.modelId) ?? facts.model;
  return { id: asString(json.id) ?? newId('rerank-'), object: 'list', results, model };
}
