import { asObject, asString, type JsonObject, provider, schema, secret, setting } from 'portcullis/sdk';
import { documents } from './documents.ts';

/** Source: https://openrouter.ai/docs/api/reference/overview. The two settings name the calling app in OpenRouter's rankings. */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'OPENROUTER_API_KEY' }),
    openrouterReferer: schema.Optional(setting({ header: 'http-referer', description: 'URL of the calling app.' })),
    openrouterTitle: schema.Optional(setting({ header: 'x-title', description: 'Name of the calling app.' })),
  }),
  base: 'https://openrouter.ai/api/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  headers: ({ settings }) => ({
    'http-referer': asString(settings.openrouterReferer),
    'x-title': asString(settings.openrouterTitle),
  }),
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning',
      // https://openrouter.ai/docs/use-cases/usage-accounting
      streamUsage: 'always',
      request: withReasoning,
    },
    complete: { path: '/completions', dialect: 'completions', streamUsage: 'always' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    messages: { path: '/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    ...documents,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

function withReasoning(body: JsonObject): JsonObject {
  const { reasoning_effort: effort, ...rest } = body;
  if (typeof effort !== 'string') return body;
  return { ...rest, reasoning: { effort, ...asObject(body.reasoning) } };
}
