import { functionsAsTools, provider, schema, secret } from 'portcullis/sdk';
import { heard } from './speech.ts';

/**
 * Source: https://docs.reka.ai/chat/overview, https://docs.reka.ai/chat/api-reference/list-models (bearer token) and
 * https://docs.reka.ai/errors.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'REKA_API_KEY' }) }),
  base: 'https://api.reka.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', request: functionsAsTools },
    createTranscription: { path: '/transcription_or_translation', dialect: 'transcriptions', flow: heard(false) },
    createTranslation: { path: '/transcription_or_translation', dialect: 'transcriptions', flow: heard(true) },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
