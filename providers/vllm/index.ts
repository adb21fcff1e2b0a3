import { type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/** Its name for the whole is missing. */
const asList = (json: JsonObject): JsonObject =>
  Array.isArray(json.results) && json.object === undefined ? { object: 'list', ...json } : json;

/**
 * Source: https://docs.vllm.ai/en/stable/serving/online_serving.html. Another host is reached with `custom_host`; a server that
 * was started without a key needs none. Which endpoints answer depends on the model it serves.
 */
export default provider({
  settings: schema.Object({ apiKey: schema.Optional(secret({ env: 'VLLM_API_KEY' })) }),
  base: 'http://localhost:8000/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    complete: { path: '/completions', dialect: 'completions' },
    messages: { path: '/messages', dialect: 'messages' },
    messagesCountTokens: { path: '/messages/count_tokens', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    cancelModelResponse: { path: '/responses/{id}/cancel' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    rerank: { path: '/rerank', dialect: 'rerank', repair: asList },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    createTranslation: { path: '/audio/translations', dialect: 'transcriptions' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
