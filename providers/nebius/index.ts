import {
  type JsonObject,
  provider,
  publishedBatches,
  publishedFiles,
  publishedFineTuning,
  type ReplyFacts,
  schema,
  secret,
} from 'portcullis/sdk';

/**
 * Source: https://docs.tokenfactory.nebius.com/api-reference/introduction and its neighbours; thinking is shown in
 * https://github.com/nebius/token-factory-cookbook.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NEBIUS_API_KEY' }) }),
  base: 'https://api.tokenfactory.nebius.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      reasoningField: 'reasoning_content',
    },
    complete: { path: '/completions', dialect: 'completions' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    imageGenerate: { path: '/images/generations', dialect: 'images', repair: dated },
    ...publishedFiles(),
    ...publishedBatches(),
    ...publishedFineTuning(),
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

/** Pictures come without the time at which they were made. */
function dated(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  return Array.isArray(json.data) && json.created === undefined ? { created: nowSeconds(), ...json } : json;
}
