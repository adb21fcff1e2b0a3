import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://doc-en.302.ai (chat: https://302ai-en.apifox.cn/207705109e0, embeddings:
 * https://302ai-en.apifox.cn/207705281e0, their neighbours for pictures and sound) and https://github.com/302ai/ai-sdk for the variable of the key and the thinking.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'AI302_API_KEY' }) }),
  base: 'https://api.302.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', reasoningField: 'reasoning_content' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    imageEdit: { path: '/images/edits', dialect: 'images' },
    createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
