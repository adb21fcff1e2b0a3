import { asNumber, asObject, asObjects, type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.perplexity.ai/api-reference/chat-completions-post and
 * https://docs.perplexity.ai/docs/agent-api/openai-compatibility (responses). Streams end without `[DONE]`.
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
      repair: (json) => countedSearches(finished(json)),
    },
    createModelResponse: { path: '/v1/responses', dialect: 'responses' },
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

/** Searches are billed one by one, as server tools are. */
function countedSearches(json: JsonObject): JsonObject {
  const usage = asObject(json.usage);
  const searches = asNumber(usage?.num_search_queries);
  if (usage === undefined || searches === undefined || usage.server_tool_use !== undefined) return json;
  return { ...json, usage: { ...usage, server_tool_use: { num_search_queries: searches } } };
}
