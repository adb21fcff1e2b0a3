import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://apidoc.cometapi.com/api/text/chat, its neighbours on pictures and sound, and
 * https://github.com/cometapi-dev.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'COMETAPI_KEY' }) }),
  base: 'https://api.cometapi.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    messages: { path: '/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    imageEdit: { path: '/images/edits', dialect: 'images' },
    createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    createTranslation: { path: '/audio/translations', dialect: 'transcriptions' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
