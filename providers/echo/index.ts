import { provider, publishedBatches, publishedFiles, publishedFineTuning, schema } from 'portcullis/sdk';
import { serve } from './routes.ts';

/** Answers without a network. What it does is told by the model name: see README.md. */
export default provider({
  settings: schema.Object({}),
  // Never called: it only shows in `explain`. `.invalid` resolves nowhere (RFC 6761 §6.4).
  base: 'http://echo.invalid/v1',
  auth: { kind: 'none' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    complete: { path: '/completions', dialect: 'completions' },
    messages: { path: '/messages', dialect: 'messages' },
    messagesCountTokens: { path: '/messages/count_tokens', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    getModelResponse: { method: 'GET', path: '/responses/{id}' },
    deleteModelResponse: { method: 'DELETE', path: '/responses/{id}' },
    cancelModelResponse: { path: '/responses/{id}/cancel' },
    listResponseInputItems: { method: 'GET', path: '/responses/{id}/input_items' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    rerank: { path: '/rerank', dialect: 'rerank' },
    moderate: { path: '/moderations', dialect: 'moderations' },
    ocr: { path: '/ocr', dialect: 'ocr' },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    imageEdit: { path: '/images/edits', dialect: 'images' },
    imageVariation: { path: '/images/variations', dialect: 'images' },
    createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    createTranslation: { path: '/audio/translations', dialect: 'transcriptions' },
    ...publishedFiles(),
    ...publishedBatches(),
    ...publishedFineTuning(),
    assistants: { path: '/assistants{rest}' },
    threads: { path: '/threads{rest}' },
    vectorStores: { path: '/vector_stores{rest}' },
    conversations: { path: '/conversations{rest}' },
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
  serve,
});
