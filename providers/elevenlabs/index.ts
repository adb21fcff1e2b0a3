import { provider, schema, secret } from 'portcullis/sdk';
import { speak } from './speak.ts';
import { faultIn, formOf, repaired, typedReply } from './transcription.ts';

/**
 * Source: https://elevenlabs.io/docs/api-reference/text-to-speech/convert and
 * https://elevenlabs.io/docs/api-reference/speech-to-text/convert. The voice is the id of one.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'ELEVENLABS_API_KEY' }) }),
  base: 'https://api.elevenlabs.io/v1',
  auth: { kind: 'header', name: 'xi-api-key', from: 'apiKey' },
  endpoints: {
    createSpeech: { path: '/text-to-speech', dialect: 'speech', flow: speak, repair: faultIn },
    createTranscription: {
      path: '/speech-to-text',
      dialect: 'transcriptions',
      params: { rename: { model: 'model_id', language: 'language_code' }, drop: ['prompt'] },
      request: formOf,
      repair: repaired,
      unwrap: typedReply,
    },
    proxy: { path: '' },
  },
});
