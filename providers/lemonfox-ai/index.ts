import { provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://www.lemonfox.ai/apis/chat, as quoted in https://github.com/juspay/neurolink
 * (`docs/getting-started/providers`), and its neighbours /apis/text-to-speech, /apis/speech-to-text and
 * /apis/image-generation.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'LEMONFOX_API_KEY' }) }),
  base: 'https://api.lemonfox.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
    createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
    proxy: { path: '' },
  },
});
