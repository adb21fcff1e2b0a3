import { asObject, type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://io.net/docs/reference/ai-models/create-chat-completion and its neighbours;
 * https://io.net/docs/guides/intelligence/reasoning-for-chat-completions.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'IOINTELLIGENCE_API_KEY' }) }),
  base: 'https://api.intelligence.io.solutions/api/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning_content',
      request: withReasoning,
    },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

/** `reasoning_effort` knows no `none` here; `reasoning` knows each effort. */
function withReasoning(body: JsonObject): JsonObject {
  const { reasoning_effort: effort, ...rest } = body;
  if (typeof effort !== 'string') return body;
  return { ...rest, reasoning: { effort, ...asObject(body.reasoning) } };
}
