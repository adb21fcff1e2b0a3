import { asObjects, compact, type JsonObject, provider, schema, secret, setting } from 'portcullis/sdk';
import { createSpeech, createTranscription, createTranslation } from './audio.ts';
import { imageForm, imageGenerate } from './images.ts';
import { named } from './models.ts';
import { rerank } from './rerank.ts';

/**
 * Source: https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility for chat, responses and
 * embeddings; every other task runs its model (https://developers.cloudflare.com/api/resources/ai/methods/run/).
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'CLOUDFLARE_API_TOKEN' }),
    workersAiAccountId: setting({
      pattern: '^[0-9a-fA-F]{32}$',
      env: 'CLOUDFLARE_ACCOUNT_ID',
      description: 'The id of the account, 32 hexadecimal digits.',
    }),
  }),
  base: 'https://api.cloudflare.com/client/v4/accounts/{workersAiAccountId}/ai',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/v1/chat/completions',
      dialect: 'chat',
      request: named,
      reasoningField: 'reasoning_content',
    },
    createModelResponse: { path: '/v1/responses', dialect: 'responses', request: named },
    embed: { path: '/v1/embeddings', dialect: 'embeddings', request: named },
    rerank,
    imageGenerate,
    createSpeech,
    createTranscription,
    createTranslation,
    listModels: { method: 'GET', path: '/models/search?per_page=1000', query: false, repair: listed },
    proxy: { path: '' },
  },
  families: [{ name: 'flux-2', fits: (model) => model.includes('/flux-2-'), endpoints: { imageGenerate: imageForm } }],
});

/** Models are called by their names; their ids are for the dashboard. */
function listed(json: JsonObject): JsonObject {
  if (!Array.isArray(json.result)) return json;
  const data = asObjects(json.result).map(({ name, created_at: created }) =>
    compact({ id: name, created_at: typeof created === 'string' ? `${created.replace(' ', 'T')}Z` : undefined }),
  );
  return { data };
}
