import { functionsAsTools, provider, schema, secret } from 'portcullis/sdk';

// Without `max_tokens` the limit would be ignored: the newer name is not known there.
const params = { rename: { max_completion_tokens: 'max_tokens' } } as const;

/**
 * Source: https://docs.ollama.com/api/openai-compatibility. A local server needs no key; another host is reached with
 * `custom_host`. An empty prompt only loads or unloads the model, which text completions report as their finish reason.
 */
export default provider({
  settings: schema.Object({ apiKey: schema.Optional(secret({ env: 'OLLAMA_API_KEY' })) }),
  base: 'http://localhost:11434/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', params, request: functionsAsTools },
    complete: { path: '/completions', dialect: 'completions', finishReasons: { load: 'stop', unload: 'stop' } },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
});
