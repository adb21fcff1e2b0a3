import {
  type CallFacts,
  type Endpoint,
  type JsonObject,
  provider,
  publishedBatches,
  publishedFiles,
  publishedFineTuning,
  schema,
  secret,
  setting,
  withCurrentFields,
} from 'portcullis/sdk';
import { audio, images } from './media.ts';

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Refused without their beta: https://platform.openai.com/docs/assistants/migration */
const assistantsBeta: Readonly<Partial<Record<Endpoint, string>>> = {
  assistants: 'assistants=v2',
  threads: 'assistants=v2',
  vectorStores: 'assistants=v2',
};

/** https://platform.openai.com/docs/api-reference */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'OPENAI_API_KEY' }),
    openaiOrganization: schema.Optional(setting({ env: 'OPENAI_ORG_ID', header: 'openai-organization' })),
    openaiProject: schema.Optional(setting({ env: 'OPENAI_PROJECT_ID', header: 'openai-project' })),
    openaiBeta: schema.Optional(setting({ header: 'openai-beta', description: 'Beta features, comma separated.' })),
  }),
  base: 'https://api.openai.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  headers: ({ settings, endpoint }) => ({
    'openai-organization': text(settings.openaiOrganization),
    'openai-project': text(settings.openaiProject),
    'openai-beta': text(settings.openaiBeta) ?? assistantsBeta[endpoint],
  }),
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', request: chatRequest },
    complete: { path: '/completions', dialect: 'completions' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    moderate: { path: '/moderations', dialect: 'moderations' },
    ...images,
    ...audio,
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    cancelModelResponse: { path: '/responses/{id}/cancel' },
    listResponseInputItems: { method: 'GET', path: '/responses/{id}/input_items' },
    ...publishedFiles(),
    ...publishedBatches(),
    ...publishedFineTuning(),
    assistants: { path: '/assistants{rest}' },
    threads: { path: '/threads{rest}' },
    vectorStores: { path: '/vector_stores{rest}' },
    conversations: { path: '/conversations{rest}' },
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    realtime: { method: 'GET', path: '/realtime' },
    proxy: { path: '' },
  },
});

function chatRequest(body: JsonObject, { model }: CallFacts): JsonObject {
  return withCurrentFields(body, model);
}
