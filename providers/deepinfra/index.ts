import { developersAsSystem, functionsAsTools, provider, schema, secret } from 'portcullis/sdk';
import { rerank } from './rerank.ts';

/**
 * Source: https://docs.deepinfra.com/chat/overview and https://api.deepinfra.com/openapi.json. The last event of a stream
 * holds the token counts in each case: https://docs.deepinfra.com/chat/streaming.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'DEEPINFRA_TOKEN' }) }),
  base: 'https://api.deepinfra.com/v1/openai',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      reasoningField: 'reasoning_content',
      streamUsage: 'always',
      // The roles are system, user, assistant and tool; any other is a validation error.
      request: (body) => developersAsSystem(functionsAsTools(body)),
    },
    complete: { path: '/completions', dialect: 'completions', streamUsage: 'always' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    rerank,
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    imageEdit: { path: '/images/edits', dialect: 'images' },
    imageVariation: { path: '/images/variations', dialect: 'images' },
    createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    createTranslation: { path: '/audio/translations', dialect: 'transcriptions' },
    // Nothing more of either is documented.
    uploadFile: { path: '/files', dialect: 'files' },
    listFiles: { method: 'GET', path: '/files', dialect: 'files' },
    createBatch: { path: '/batches', dialect: 'batches' },
    listBatches: { method: 'GET', path: '/batches', dialect: 'batches' },
    retrieveBatch: { method: 'GET', path: '/batches/{id}', dialect: 'batches' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
