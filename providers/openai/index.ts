import { provider, schema, secret, setting } from 'portcullis/sdk';

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

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
  headers: ({ settings }) => ({
    'openai-organization': text(settings.openaiOrganization),
    'openai-project': text(settings.openaiProject),
    'openai-beta': text(settings.openaiBeta),
  }),
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    complete: { path: '/completions', dialect: 'completions' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    listResponseInputItems: { method: 'GET', path: '/responses/{id}/input_items' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
