import {
  asObject,
  asObjects,
  type JsonObject,
  omit,
  provider,
  publishedBatches,
  publishedFiles,
  schema,
  secret,
} from 'portcullis/sdk';

/**
 * Source: https://console.groq.com/docs/openai, https://console.groq.com/docs/api-reference and
 * https://github.com/groq/groq-typescript (`api.md`).
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'GROQ_API_KEY' }) }),
  base: 'https://api.groq.com/openai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { drop: ['logprobs', 'top_logprobs', 'logit_bias'] },
      reasoningField: 'reasoning',
      streamUsage: 'always',
      request: withoutNames,
      repair: usageFromGroq,
    },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    createTranslation: { path: '/audio/translations', dialect: 'transcriptions' },
    ...publishedFiles(),
    ...publishedBatches(),
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
});

const unsupported: ReadonlySet<string> = new Set(['name', 'content_blocks']);

/** Messages with a name are refused, as are the blocks that only this gateway's own replies have. */
function withoutNames(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some((message) => refused(message))) return body;
  return { ...body, messages: messages.map((message) => (refused(message) ? omit(message, unsupported) : message)) };
}

function refused(message: JsonObject): boolean {
  return message.role !== 'tool' && (message.name !== undefined || message.content_blocks !== undefined);
}

/** A stream that was not asked for usage still tells it, in `x_groq` of its last chunk. */
function usageFromGroq(json: JsonObject): JsonObject {
  const usage = asObject(asObject(json.x_groq)?.usage);
  return usage === undefined || asObject(json.usage) !== undefined ? json : { ...json, usage };
}
