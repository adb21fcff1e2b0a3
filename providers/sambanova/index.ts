import { asNumber, functionsAsTools, type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.sambanova.ai/docs/en/features/openai-compatibility, /features/responses, /features/messages and
 * /features/embeddings, and https://github.com/sambanova/sambanova-typescript (endpoints and fields).
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'SAMBANOVA_API_KEY' }) }),
  base: 'https://api.sambanova.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning',
      request: functionsAsTools,
      repair: completed,
    },
    complete: { path: '/completions', dialect: 'completions', repair: completed },
    messages: { path: '/messages', dialect: 'messages' },
    messagesCountTokens: { path: '/messages/count_tokens', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    // Its embeddings know only numbers: the answer is encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    createTranslation: { path: '/audio/translations', dialect: 'transcriptions' },
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
});

/** The time may be a fraction of seconds, and the choices of an event null: see `created` and `choices` in the SDK's types. */
function completed(json: JsonObject): JsonObject {
  const created = asNumber(json.created);
  const fraction = created !== undefined && !Number.isInteger(created);
  if (!fraction && json.choices !== null) return json;
  return {
    ...json,
    ...(fraction ? { created: Math.floor(created) } : {}),
    ...(json.choices === null ? { choices: [] } : {}),
  };
}
