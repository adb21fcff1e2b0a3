import { provider, schema, secret } from 'portcullis/sdk';
import { faultIn } from './query.ts';
import { speak } from './speak.ts';
import { transcribe } from './transcribe.ts';

/**
 * Source: https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded and
 * https://developers.deepgram.com/reference/text-to-speech/speak-request. Options are parts of the query there: what the
 * client gives beside the fields of the shared format becomes one. Keys travel as `Token`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'DEEPGRAM_API_KEY' }) }),
  base: 'https://api.deepgram.com/v1',
  auth: { kind: 'bearer', from: 'apiKey', scheme: 'Token' },
  endpoints: {
    createTranscription: { path: '/listen', dialect: 'transcriptions', flow: transcribe, repair: faultIn },
    createSpeech: { path: '/speak', dialect: 'speech', flow: speak, repair: faultIn },
    proxy: { path: '' },
  },
});
