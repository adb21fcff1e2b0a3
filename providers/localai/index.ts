import { type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/** Its name for the whole is missing. */
const asList = (json: JsonObject): JsonObject =>
  Array.isArray(json.results) && json.object === undefined ? { object: 'list', ...json } : json;

/**
 * Source: https://localai.io/docs/features and https://github.com/mudler/LocalAI/blob/master/swagger/swagger.yaml. Another host
 * is reached with `custom_host`; a server without accounts needs no key.
 */
export default provider({
  settings: schema.Object({ apiKey: schema.Optional(secret({ env: 'LOCALAI_API_KEY' })) }),
  base: 'http://localhost:8080/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    complete: { path: '/completions', dialect: 'completions' },
    messages: { path: '/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    cancelModelResponse: { path: '/responses/{id}/cancel' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    rerank: { path: '/rerank', dialect: 'rerank', repair: asList },
    moderate: { path: '/moderations', dialect: 'moderations' },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
