import {
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type JsonObject,
  provider,
  publishedBatches,
  publishedFiles,
  schema,
  secret,
} from 'portcullis/sdk';

/**
 * Source: https://docs.perplexity.ai/api-reference/chat-completions-post and
 * https://docs.perplexity.ai/docs/agent-api/openai-compatibility (responses), and for
 * batches https://docs.perplexity.ai/docs/agent-api/batch. Streams end without `[DONE]`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'PERPLEXITY_API_KEY' }) }),
  base: 'https://api.perplexity.ai',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      // Running totals in each chunk: https://docs.perplexity.ai/guides/streaming-responses
      streamUsage: 'always',
      repair: (json) => billed(finished(json)),
    },
    createModelResponse: { path: '/v1/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/v1/responses/{id}' },
    cancelModelResponse: { path: '/v1/responses/{id}/cancel' },
    ...publishedFiles('/v1'),
    ...publishedBatches('/v1'),
    listModels: { method: 'GET', path: '/v1/models' },
    proxy: { path: '' },
  },
});

/** The last event of a stream, and every whole reply, is complete even when its finish reason is empty. */
function finished(json: JsonObject): JsonObject {
  const choices = asObjects(json.choices);
  if (json.object !== 'chat.completion' && json.object !== 'chat.completion.done') return json;
  if (choices.every((choice) => choice.finish_reason)) return json;
  return {
    ...json,
    choices: choices.map((choice) => (choice.finish_reason ? choice : { ...choice, finish_reason: 'stop' })),
  };
}

/** What a search of each context size is called where it is billed: once for each request. */
const contexts: ReadonlyMap<string | undefined, string> = new Map(
  ['low', 'medium', 'high'].map((size) => [size, `request_${size}_context`]),
);

/**
 * What is billed beside the prompt and the answer. Searches and tokens of citations count one by one, as uses of server
 * tools do; reasoning is left out of the completion tokens: https://docs.perplexity.ai/getting-started/pricing
 */
function billed(json: JsonObject): JsonObject {
  const usage = asObject(json.usage);
  if (usage === undefined || usage.server_tool_use !== undefined) return json;
  const context = contexts.get(asString(usage.search_context_size));
  const used = compact({
    num_search_queries: asNumber(usage.num_search_queries),
    citation_tokens: asNumber(usage.citation_tokens),
    ...(context === undefined ? {} : { [context]: 1 }),
  });
  const counted = withReasoning(usage);
  if (Object.keys(used).length === 0) return counted === usage ? json : { ...json, usage: counted };
  return { ...json, usage: { ...counted, server_tool_use: used } };
}

function withReasoning(usage: JsonObject): JsonObject {
  const reasoning = asNumber(usage.reasoning_tokens) ?? 0;
  if (reasoning <= 0 || usage.completion_tokens_details !== undefined) return usage;
  return {
    ...usage,
    completion_tokens: (asNumber(usage.completion_tokens) ?? 0) + reasoning,
    total_tokens: (asNumber(usage.total_tokens) ?? 0) + reasoning,
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
