import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: the guides of https://github.com/ovh/docs (`pages/public_cloud/ai_machine_learning/endpoints_guide_01_getting_started`
 * and `endpoints_guide_09_responses_api`) and https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog. Without a key the
 * service answers all the same, two requests a minute.
 */
export default provider({
  settings: schema.Object({ apiKey: schema.Optional(secret({ env: 'OVH_AI_ENDPOINTS_ACCESS_TOKEN' })) }),
  base: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    complete: { path: '/completions', dialect: 'completions' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    // Nothing is stored there, and the documents ask that each request says so.
    createModelResponse: { path: '/responses', dialect: 'responses', params: { set: { store: false } } },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
