import {
  asArray,
  asNumber,
  asObject,
  asString,
  compact,
  type EndpointSpec,
  type Flow,
  type Json,
  type JsonObject,
  omit,
  pathSegment,
} from 'portcullis/sdk';

const translated: ReadonlySet<string> = new Set(['model', 'query', 'documents', 'top_n', 'return_documents']);

/**
 * Rankers have no place below the OpenAI-compatible base; they answer with a score for each document:
 * https://deepinfra.com/Qwen/Qwen3-Reranker-8B/api
 */
const ranking: Flow = async ({ facts, body }, tools) => {
  const model = facts.model.split('/').map((segment) => pathSegment(segment, 'model'));
  const documents = asArray(body.documents).map(textOf);
  const { status, json } = await tools.send({
    method: 'POST',
    url: `https://api.deepinfra.com/v1/inference/${model.join('/')}`,
    body: { queries: [body.query ?? ''], documents, ...omit(body, translated) },
  });
  const tokens = asNumber(json.input_tokens);
  const ranked = resultsOf(asArray(json.scores), documents, body);
  const usage = tokens === undefined ? undefined : { prompt_tokens: tokens, total_tokens: tokens };
  const id = asString(json.request_id) ?? tools.newId('rerank-');
  return { status, json: compact({ id, object: 'list', results: ranked, model: facts.model, usage }) };
};

export const rerank: EndpointSpec = { path: '/rerank', dialect: 'rerank', flow: ranking };

const textOf = (document: Json): string => asString(document) ?? asString(asObject(document)?.text) ?? '';

function resultsOf(scores: readonly Json[], documents: readonly string[], body: JsonObject): readonly JsonObject[] {
  const results = scores.map((score, index) =>
    compact({
      index,
      relevance_score: score,
      document: body.return_documents === true ? { text: documents[index] ?? '' } : undefined,
    }),
  );
  const best = results.toSorted((one, other) => Number(other.relevance_score) - Number(one.relevance_score));
  return best.slice(0, asNumber(body.top_n) ?? best.length);
}
